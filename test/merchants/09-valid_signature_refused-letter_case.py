from shop import Shop, run


class Merchant(Shop):
    def is_genuine(self, body, headers):
        """A dict, which takes names of headers in small letters for others."""
        return super().is_genuine(body, dict(headers.items()))


run(Merchant)
