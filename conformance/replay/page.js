const by = id => document.getElementById(id), [q, d, e, f, t] = ['q', 'd', 'e', 'f', 't'].map(by);
const all = [...document.querySelectorAll('details.s')].map(el => [el, el.textContent.toLowerCase(), el.dataset.f.split(' ')]);
function show() {
  const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const [el, text, states] of all) {
    const mine = t.value ? [states[t.value]] : states;
    const ok = words.every(w => text.includes(w)) && (!d.value || el.dataset.d === d.value) && (!e.value || el.dataset.e === e.value) && (!f.value || mine.includes(f.value));
    el.hidden = !ok;
    n += ok;
  }
  by('n').textContent = n + ' of ' + all.length;
}
[q, d, e, f, t].forEach(el => el.addEventListener('input', show));
show();
