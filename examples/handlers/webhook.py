import base64
import hmac
import re
import time


def is_genuine(body, headers, secret, now=None):
    """Verify the raw bytes of a webhook, as Standard Webhooks defines it. `now` is in seconds."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs((now or time.time()) - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, content, "sha256"))
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(one, expected) for one in signatures)
