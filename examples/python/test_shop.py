import json
import os
import threading
import urllib.request

import pytest

from shop import Shop
from webhook import is_genuine

BUYER = {
    "buyer_cpf": "12345678909",
    "buyer_name": "Maria da Silva",
    "buyer_email": "maria@example.com",
}


@pytest.fixture
def shop(tmp_path):
    with Shop(0, tmp_path / "shop.db") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_paid_order_is_marked_as_paid(shop):
    order = create_order(shop, "1001")
    assert order["qr_code"].startswith("000201")
    sandbox("POST", f"/payins/{order['id']}/pay")
    sandbox("GET", f"/wait?type=payin.paid&transaction_id={order['id']}")
    assert history(shop, order["id"]) == ["waiting", "paid"]


def test_a_repeated_webhook_changes_nothing(shop):
    order = create_order(shop, "1002")
    sandbox("POST", "/faults", {"on": "webhook", "effect": "duplicate_at_once", "times": 1})
    sandbox("POST", f"/payins/{order['id']}/pay")
    sandbox("POST", "/settle")  # until both have been answered
    delivery = sandbox("GET", f"/wait?type=payin.paid&transaction_id={order['id']}")
    resent = sandbox("POST", f"/deliveries/{delivery['id']}/resend")
    assert [attempt["status"] for attempt in resent["attempts"]] == [200, 200, 200]
    assert history(shop, order["id"]) == ["waiting", "paid"]


def test_a_webhook_with_a_wrong_signature_is_refused(shop):
    order = create_order(shop, "1003")
    sandbox("POST", "/faults", {"on": "webhook", "effect": "bad_signature", "times": 1})
    sandbox("POST", f"/payins/{order['id']}/pay")
    sandbox("POST", "/settle")
    (delivery,) = sandbox("GET", f"/deliveries?transaction_id={order['id']}")["data"]
    assert delivery["attempts"][0]["status"] == 400
    assert history(shop, order["id"]) == ["waiting"]


def test_a_payout_whose_answer_is_lost_is_sent_once(shop):
    sandbox("POST", "/faults", {"on": "payouts.create", "effect": "lost_answer", "times": 1})
    payout = call(
        "POST",
        f"{shop.url}/payouts",
        {
            "invoice": "2001",
            "value": 25,
            "receiver_cpf": "52998224725",
            "receiver_name": "João Souza",
            "receiver_email": "joao@example.com",
            "pix_key": "52998224725",
            "pix_key_type": "cpf",
        },
    )
    assert [one["id"] for one in sandbox("GET", "/payouts")["data"]] == [payout["id"]]
    sandbox("POST", f"/payouts/{payout['id']}/complete")
    sandbox("GET", f"/wait?type=payout.completed&transaction_id={payout['id']}")
    assert history(shop, payout["id"]) == ["waiting", "completed"]


def test_a_signature_is_valid_for_its_bytes_for_five_minutes():
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    body = b'{"test": 2432232314}'
    assert is_genuine(body, headers, secret, 1614265330)
    assert is_genuine(body, headers, secret, 1614265330 + 300)
    assert not is_genuine(body, headers, secret, 1614265330 + 301)
    assert not is_genuine(body, headers, secret, 1614265330 - 301)
    assert not is_genuine(b'{"test":2432232314}', headers, secret, 1614265330)
    assert not is_genuine(body, {}, secret)


def create_order(shop, number):
    return call("POST", f"{shop.url}/orders", {"number": number, "value": 10.5, **BUYER})


def history(shop, payment):
    return call("GET", f"{shop.url}/payments/{payment}")


def sandbox(method, path, body=None):
    """Call a control route of the sandbox."""
    return call(method, f"{os.environ['PIX_SANDBOX_URL']}/_sandbox{path}", body)


def call(method, url, body=None):
    headers = {"x-api-token": os.environ["PIX_SANDBOX_TOKEN"]}
    if body is not None:
        headers["content-type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)
