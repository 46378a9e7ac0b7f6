"""An OpenAI-compatible server that misbehaves on request: a question names its fault as `fault=NAME`.

It answers over real sockets, so that timeouts, cut bodies and refused connections are real. A fault may
be limited to the first tries of a question: `fault=NAME*2`.
"""

import contextlib
import json
import math
import re
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "faulty"
STALL_S = 3.0
FAULT = re.compile(r"fault=([a-z0-9-]+)(?:\*(\d+))?")


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


class FaultyServer:
    """Use as a context manager. seen: (path, body) of every request in order of arrival.

    poor: "no-logprobs", "ignores-choice", "rejects-choice", "no-schema", "no-images", "one-sample".
    """

    fault_of_probes = ""

    def __init__(self, poor=(), port=0, key="", models=(MODEL,)):
        self.poor = set(poor)
        self.key = key
        self.models = models
        self.seen = []
        self.tries = Counter()
        self.lock = threading.Lock()
        self.connections = set()
        self.http = ThreadingHTTPServer(("127.0.0.1", port), make_handler(self))
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def stop(self):
        if self.thread.is_alive():
            self.http.shutdown()
            for connection in list(self.connections):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self.http.server_close()
            self.thread.join()

    def answer(self, body):
        """Free text to say in place of the usual answer; None = the usual one."""
        return

    def body(self, body):
        """The body of a good answer."""
        return completion(self.poor, body, self.probability(body))

    def probability(self, body):
        """Of the second of two labels; "p=0.8" in the question says it here."""
        found = re.search(r"p=([0-9.]+)", text_of(body["messages"][-1]))
        return float(found[1]) if found else 0.8

    def embed(self, body):
        return embeddings(body)

    def questions(self):
        """Texts that were asked, probes left out."""
        bodies = [body for path, body in self.seen if path.endswith("/chat/completions")]
        texts = [text_of(body["messages"][-1]) for body in bodies]
        return [t for t in texts if t not in {"Say hello.", "Which colour?"}]


def make_handler(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            server.connections.add(self.connection)

        def finish(self):
            server.connections.discard(self.connection)
            with contextlib.suppress(OSError):
                super().finish()

        def log_message(self, *args):
            pass

        def do_GET(self):
            data = [{"id": name, "max_model_len": 2048} for name in server.models]
            self.reply(200, {"data": data})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                server.seen.append((self.path, body))
            if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
                said = self.headers.get("Authorization", "")
                return self.reply(401, {"error": {"message": f"Incorrect API key provided: {said}"}})
            if self.path.endswith("/embeddings"):
                return self.reply(200, server.embed(body))
            fault = self.fault(text_of(body["messages"][-1]))
            return getattr(self, "do_" + fault.replace("-", "_"))(body) if fault else self.good(body)

        def fault(self, text):
            if text == "Say hello." and server.fault_of_probes:
                return server.fault_of_probes
            found = FAULT.search(text)
            if not found:
                return None
            with server.lock:
                server.tries[text] += 1
                limit = int(found[2]) if found[2] else None
                return found[1] if limit is None or server.tries[text] <= limit else None

        def reply(self, status, value, **headers):
            raw = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            for name, text in headers.items():
                self.send_header(name.replace("_", "-"), text)
            self.end_headers()
            self.wfile.write(raw)

        def good(self, body, **changes):
            problem = refused(server.poor, body)
            if problem:
                return self.reply(400, {"error": {"message": problem}})
            value = {**server.body(body), **changes}
            said = None if changes else server.answer(body)
            if said is not None:
                message = {"role": "assistant", "content": said}
                value["choices"] = [{"index": 0, "message": message, "finish_reason": "stop"}]
            return self.reply(200, value)

        def do_429(self, body):
            self.reply(429, {"error": {"message": "slow down"}}, Retry_After="0.4")

        def do_500(self, body):
            self.reply(500, {"error": {"message": "internal"}})

        def do_400(self, body):
            self.reply(400, {"error": {"message": "maximum context length is 2048 tokens"}})

        def do_stall(self, body):
            time.sleep(STALL_S)
            self.close_connection = True

        def do_cut(self, body):
            raw = json.dumps(server.body(body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw[: len(raw) // 2])
            self.close_connection = True

        def do_not_json(self, body):
            self.reply(200, b"<html>gateway</html>")

        def do_wrong_schema(self, body):
            self.reply(200, {"result": "1"})

        def do_no_message(self, body):
            self.good(body, choices=[{"text": "1"}])

        def do_empty_choices(self, body):
            self.good(body, choices=[])

        def do_null(self, body):
            self.good(body, choices=[{"message": {"content": None}, "finish_reason": "stop"}])

        def do_length(self, body):
            self.good(body, choices=[{"message": {"content": "A dog on a"}, "finish_reason": "length"}])

        def do_refusal(self, body):
            self.good(
                body,
                choices=[{"message": {"content": "", "refusal": "I cannot"}, "finish_reason": "stop"}],
            )

        def do_prose(self, body):
            self.good(body, choices=[{"message": {"content": "The score is 0."}, "finish_reason": "stop"}])

        def do_bad_json(self, body):
            self.good(body, choices=[{"message": {"content": '{"score": "high"}'}, "finish_reason": "stop"}])

    return Handler


def refused(poor, body):
    if "rejects-choice" in poor and "structured_outputs" in body:
        return "extra fields not permitted"
    content = body["messages"][-1]["content"]
    if "no-images" in poor and any(p["type"] == "image_url" for p in content if isinstance(p, dict)):
        return "this model takes no images"
    return ""


def completion(poor, body, p=0.8):
    """A good answer: the second of two labels with probability p, or "hello"."""
    held = body.get("structured_outputs", {}).get("choice")
    if "ignores-choice" in poor:
        held = None
    n = 1 if "one-sample" in poor else body.get("n", 1)
    if held:
        weights = [1 - p, p] if len(held) == 2 else [1 / len(held)] * len(held)
        answers = [held[1] if (i + 0.5) / n < p else held[0] for i in range(n)] if n > 1 else []
        answers = answers or [held[weights.index(max(weights))]]
    elif "response_format" in body and "no-schema" not in poor:
        schema = body["response_format"]["json_schema"]["schema"]["properties"]
        filled = {k: v["enum"][0] if "enum" in v else 1 for k, v in schema.items()}
        answers = [json.dumps(filled)] * n
    else:
        answers = ["hello"] * n
    choices = []
    for i, text in enumerate(answers):
        choice = {"index": i, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        if body.get("logprobs") and "no-logprobs" not in poor:
            listed = zip(held, weights, strict=True) if held else [(text, 0.9), ("bye", 0.1)]
            top = [{"token": t, "logprob": math.log(w) if w else -9999.0} for t, w in listed]
            choice["logprobs"] = {"content": [{"token": text, "top_logprobs": top}]}
        choices.append(choice)
    usage = {"prompt_tokens": 7, "completion_tokens": 1}
    return {"choices": choices, "usage": usage, "model": MODEL}


def embeddings(body):
    """Rows in reverse order with their index; longer texts and padding change them."""
    given = body["input"] if "input" in body else [json.dumps(body["messages"])[-60:]]
    scale = 2.0 if body.get("padding") == "max_length" else 1.0
    data = [{"index": i, "embedding": [float(len(t)), scale, float(i + 1)]} for i, t in enumerate(given)]
    return {"data": data[::-1]}
