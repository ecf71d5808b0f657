# flask --app flask_app run --port 3000
import os

from flask import Flask, request

from webhook import is_genuine

app = Flask(__name__)


@app.post("/webhooks/pix")
def receive():
    # The raw bytes, before a parser: the signature covers them.
    if not is_genuine(request.get_data(), request.headers, os.environ["PIX_SANDBOX_SECRET"]):
        return "", 401
    event = request.get_json()
    print(event["type"], event["data"]["id"], event["data"]["status"], flush=True)
    return "", 200
