import http.client
import json
import os
import time
import urllib.error
import urllib.request

PAUSES = [0, 0.2, 1, 5]


class Refused(Exception):
    """The gateway did not do what was requested. The same call would be refused again."""


def create_payin(key, payin):
    return _post("/payins", key, payin)


def create_payout(key, payout):
    return _post("/payouts", key, payout)


def _post(path, key, body):
    """Send a call.

    If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then sent again
    with the same key: the gateway answers with the first outcome and creates nothing twice.
    """
    request = urllib.request.Request(
        os.environ["PIX_SANDBOX_BASE_URL"] + path,
        data=json.dumps(body).encode(),
        headers={
            "content-type": "application/json",
            "x-api-token": os.environ["PIX_SANDBOX_TOKEN"],
            "x-provider-id": "1",
            "x-provider": "My Shop",
            "x-country-code": "BR",
            "x-idempotency-key": key,
        },
    )
    for pause in PAUSES:
        time.sleep(pause)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise Refused(error.read().decode()) from error
            failure = error
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = error
    raise failure
