"""Takes the spans that programs export by OTLP over HTTP and prints those of a trace as a waterfall."""

import http.server
import threading
import zlib

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

KINDS = ["", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]


class Span:
    """A span as far as this sample looks at it."""

    def __init__(self, service, span):
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.service, self.name, self.kind = service, span.name, KINDS[span.kind]
        self.start, self.end = span.start_time_unix_nano, span.end_time_unix_nano
        self.attributes = {a.key: a.value.string_value or a.value.int_value for a in span.attributes}
        self.links = [link.trace_id.hex() for link in span.links]

    @property
    def outcome(self):
        return self.attributes.get("sluice.message.outcome", "")


class Collector:
    """An HTTP server on a free port that remembers spans."""

    def __init__(self):
        self.spans = []
        collected = self.spans

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = b"".join(self.chunks())
                if self.headers.get("Content-Encoding") == "gzip":
                    body = zlib.decompress(body, wbits=31)
                resources = ExportTraceServiceRequest.FromString(body).resource_spans if self.path == "/v1/traces" else []
                for resource in resources:
                    names = [a.value.string_value for a in resource.resource.attributes if a.key == "service.name"]
                    for scope in resource.scope_spans:
                        collected.extend(Span(names[0], span) for span in scope.spans)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def chunks(self):
                """The body; Node's exporter does not say how long it is."""
                if "Content-Length" in self.headers:
                    yield self.rfile.read(int(self.headers["Content-Length"]))
                    return
                while size := int(self.rfile.readline(), 16):
                    yield self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def trace(self, trace):
        return sorted((s for s in self.spans if s.trace == trace), key=lambda s: (s.start, s.end))


def waterfall(spans, width=60):
    """The spans of a trace as lines, each with its bar."""
    first, last = min(s.start for s in spans), max(s.end for s in spans)
    scale = width / max(last - first, 1)
    lines = []
    for s in spans:
        left = int((s.start - first) * scale)
        bar = " " * left + "█" * max(int((s.end - s.start) * scale), 1)
        lines.append(f"{s.service:8} {s.name + (' → ' + s.outcome if s.outcome else ''):44} {bar}")
    return "\n".join(lines)
