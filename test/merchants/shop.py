"""The orders of shop.js in Python, with the same settings and addresses. Its server has a thread for each request."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

OK, UNAUTHORIZED, NOT_YET_KNOWN = 200, 401, 404
PAUSES = (0.5, 0.5, 1, 2, 4)
TOLERANCE = 300


class Shop:
    def __init__(self, url):
        self.url = url
        self.gateway = os.environ["PIX_SANDBOX_URL"]
        self.token = os.environ["PIX_SANDBOX_TOKEN"]
        self.key = base64.b64decode(os.environ["PIX_SANDBOX_SECRET"].removeprefix("whsec_"))
        self.file = os.environ.get("BOOKS")
        self.lock = threading.RLock()
        self.orders = {}
        if self.file and os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as file:
                self.orders = json.load(file)

    def save(self):
        if not self.file:
            return
        with open(self.file + ".new", "w", encoding="utf-8") as file:
            json.dump(self.orders, file)
        os.replace(self.file + ".new", self.file)

    def create(self, cart, value, expiration=240):
        """Stores the order and its key, then calls the gateway."""
        with self.lock:
            order = self.orders.setdefault(cart, {
                "id": cart, "value": value, "state": "new", "credited": 0,
                "transaction": None, "key": str(uuid.uuid4()),
            })
            self.save()
        body = json.dumps({
            "value": value, "description": cart, "expiration": expiration,
            "buyer_cpf": "12345678909", "buyer_name": "Maria da Silva", "buyer_email": "maria@example.com",
            "webhook_url": f"{self.url}/webhooks/pix",
        }).encode()
        for pause in PAUSES if order["state"] == "new" else ():
            status, answer = self.call("/v1/payins", order["key"], body)
            with self.lock:
                if status == OK:
                    order.update(transaction=answer["id"], state="waiting")
                elif 400 <= status < 500 and status != 429:
                    order["state"] = "refused"
                self.save()
            if order["state"] != "new":
                break
            time.sleep(pause)
        return order

    def call(self, path, key, body):
        """The status, 0 without a response, and the body."""
        request = urllib.request.Request(self.gateway + path, body, method="POST", headers={
            "content-type": "application/json", "x-api-token": self.token, "x-provider-id": "1",
            "x-provider": "My Shop", "x-country-code": "BR", "x-idempotency-key": key,
        })
        try:
            with urllib.request.urlopen(request, timeout=15) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):
            return 0, None

    def receive(self, body, headers):
        """The status of the response."""
        if not self.is_genuine(body, headers):
            return UNAUTHORIZED
        return self.apply(json.loads(body))

    def is_genuine(self, body, headers):
        message, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > TOLERANCE:
            return False
        wanted = self.signature_of(f"{message}.{stamp}.".encode() + body)
        given = headers.get("webhook-signature", "").split(" ")
        return any(hmac.compare_digest(one.encode(), wanted.encode()) for one in given)

    def signature_of(self, content):
        return "v1," + base64.b64encode(hmac.new(self.key, content, hashlib.sha256).digest()).decode()

    def apply(self, event):
        """Decides and changes under one lock: of two equal webhooks, the second sees what the first did."""
        with self.lock:
            return self.settle(event)

    def settle(self, event):
        if event["type"] != "payin.paid":
            return OK
        order = self.find(event["data"]["id"])
        if order is None:
            return NOT_YET_KNOWN
        if order["state"] != "paid" and event["data"]["value"] == order["value"]:
            self.credit(order)
        return OK

    def credit(self, order):
        order.update(state="paid", credited=order["credited"] + order["value"])
        self.save()

    def find(self, name):
        with self.lock:
            known = (one for one in self.orders.values() if one["transaction"] == name)
            return self.orders.get(name) or next(known, None)


def run(merchant, server_class=ThreadingHTTPServer):
    """Starts a shop as the environment describes it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            order = shop.find(unquote(self.path.removeprefix("/orders/")))
            self.show(OK if order else NOT_YET_KNOWN, order or {})

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path == "/orders":
                self.show(OK, shop.create(**json.loads(body)))
            else:
                self.show(shop.receive(body, self.headers), {})

        def show(self, status, value):
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            """Writes no log."""

    server = server_class(("127.0.0.1", int(os.environ.get("PORT", "0"))), Handler)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    shop = merchant(url)
    print(json.dumps({"url": url}), flush=True)
    server.serve_forever()
