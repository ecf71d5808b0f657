import json

from shop import Shop, run


class Merchant(Shop):
    def is_genuine(self, body, headers):
        """Verifies what it has parsed, in the form in which most gateways write it."""
        written = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False)
        return super().is_genuine(written.encode(), headers)


run(Merchant)
