import time

from shop import Shop, run


class Merchant(Shop):
    def apply(self, event):
        """Without the lock."""
        return self.settle(event)

    def credit(self, order):
        """Another thread looks meanwhile."""
        time.sleep(0.3)
        super().credit(order)


run(Merchant)
