"""The examples of the README, as they are printed there."""

import pathlib
import re

README = pathlib.Path(__file__).parents[3] / "README.md"


def test_python_examples_do_what_they_say(server, sqs, capsys):
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 2
    url = sqs.create_queue(QueueName="orders")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="from SQS")
    for example in examples:
        exec(compile(example.replace("http://127.0.0.1:9324", server.url), str(README), "exec"), {})
    assert capsys.readouterr().out == "from SQS\nfrom MNS\n"
