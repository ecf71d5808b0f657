import sqlite3
from contextlib import closing, contextmanager

STATUSES = {"payin.paid": "paid", "payout.completed": "completed", "payout.canceled": "canceled"}


class Payments:
    """The statuses of each payin and payout, and the webhooks that were applied, in SQLite."""

    def __init__(self, file):
        self._file = file
        with self._transaction() as db:
            db.execute("CREATE TABLE IF NOT EXISTS statuses (payment TEXT, status TEXT)")
            db.execute("CREATE TABLE IF NOT EXISTS amounts (payment TEXT PRIMARY KEY, value REAL)")
            db.execute("CREATE TABLE IF NOT EXISTS webhooks (id TEXT PRIMARY KEY)")

    def add(self, payment, value):
        """Store a payment, unless it is stored already."""
        with self._transaction() as db:
            if not self._history(db, payment):
                db.execute("INSERT INTO statuses VALUES (?, 'waiting')", [payment])
                db.execute("INSERT INTO amounts VALUES (?, ?)", [payment, value])

    def history(self, payment):
        """Return the payment's statuses, oldest first; none if it is unknown."""
        with self._transaction() as db:
            return self._history(db, payment)

    def apply(self, webhook_id, event):
        """Apply a webhook once, and return whether its payment is known.

        The id and the new status are stored in one transaction, so that a repeat that arrives meanwhile
        waits, and a crash stores both or neither.
        """
        status = STATUSES.get(event["type"])
        if not status:
            return True
        with self._transaction() as db:
            payment = event["data"]["id"]
            history = self._history(db, payment)
            if not history:
                return False
            insert = "INSERT INTO webhooks VALUES (?) ON CONFLICT DO NOTHING"
            is_new = db.execute(insert, [webhook_id]).rowcount
            # An older event does not overwrite a final status, and another value is not this payment's.
            (value,) = db.execute("SELECT value FROM amounts WHERE payment = ?", [payment]).fetchone()
            if is_new and history == ["waiting"] and event["data"].get("value") == value:
                db.execute("INSERT INTO statuses VALUES (?, ?)", [payment, status])
            return True

    @staticmethod
    def _history(db, payment):
        rows = db.execute("SELECT status FROM statuses WHERE payment = ? ORDER BY rowid", [payment])
        return [status for (status,) in rows]

    @contextmanager
    def _transaction(self):
        with closing(sqlite3.connect(self._file, isolation_level=None)) as db, db:
            db.execute("BEGIN IMMEDIATE")
            yield db
