import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gateway
from payments import Payments
from webhook import is_genuine

MAX_BODY = 1024 * 1024


class Shop(ThreadingHTTPServer):
    def __init__(self, port, file):
        super().__init__(("127.0.0.1", port), Handler)
        self.payments = Payments(file)
        self.url = os.environ.get("SHOP_URL", f"http://127.0.0.1:{self.server_port}")

    def create_order(self, order):
        # The order's number is the idempotency key: the same order sent twice creates one charge.
        payin = {**order, "webhook_url": f"{self.url}/webhooks/pix"}
        answer = gateway.create_payin(f"order-{payin.pop('number')}", payin)
        self.payments.add(answer["id"], payin["value"])
        return {"id": answer["id"], "qr_code": answer["qr_code"]}

    def create_payout(self, payout):
        payout = {**payout, "webhook_url": f"{self.url}/webhooks/pix"}
        invoice = payout.pop("invoice")
        return {"id": self.send_payout(invoice, self.payments.invoice(invoice, payout), payout)}

    def send_payout(self, invoice, attempt, payout):
        answer = gateway.create_payout(f"invoice-{invoice}-{attempt}", payout)
        self.payments.add_payout(answer["id"], payout["value"], invoice)
        return answer["id"]

    def send_again(self, invoice, attempt, payout):
        # Once. If that one is canceled too, the next POST /payouts sends another.
        if attempt == 2:
            threading.Thread(target=self.send_payout, args=[invoice, attempt, payout]).start()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("content-length", 0))
        if size > MAX_BODY:
            return self.answer(413)
        body = self.rfile.read(size)
        if self.path == "/webhooks/pix":
            return self.receive(body)
        if self.path == "/orders":
            return self.answer(201, self.server.create_order(json.loads(body)))
        if self.path == "/payouts":
            return self.answer(201, self.server.create_payout(json.loads(body)))
        return self.answer(404)

    def do_GET(self):
        history = self.server.payments.history(self.path.removeprefix("/payments/"))
        return self.answer(200, history) if history else self.answer(404)

    def receive(self, body):
        # The signature covers the bytes as they were sent: verify first, parse then.
        if not is_genuine(body, self.headers, os.environ["PIX_SANDBOX_SECRET"]):
            return self.answer(400)
        # A webhook can arrive before create_payin() returns: after a 404 the gateway sends it again.
        # Answer at once; slow work, such as sending e-mail, comes later.
        is_known = self.server.payments.apply(
            self.headers["webhook-id"], json.loads(body), self.server.send_again
        )
        return self.answer(200 if is_known else 404)

    def answer(self, status, content=None):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        if body:
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        pass


if __name__ == "__main__":
    Shop(int(os.environ.get("PORT", "3000")), "shop.db").serve_forever()
