import json
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
            db.execute(
                "CREATE TABLE IF NOT EXISTS invoices (number TEXT PRIMARY KEY, attempt INTEGER, payout TEXT)"
            )
            db.execute("CREATE TABLE IF NOT EXISTS payouts (payment TEXT PRIMARY KEY, invoice TEXT)")

    def invoice(self, number, payout):
        """Store an invoice before its payout is sent, and return the number of its try.

        A try has its own key: a lost response is repeated with that key, and only a canceled payout starts
        the next try.
        """
        with self._transaction() as db:
            insert = "INSERT INTO invoices VALUES (?, 1, ?) ON CONFLICT DO NOTHING"
            db.execute(insert, [number, json.dumps(payout)])
            select = "SELECT attempt FROM invoices WHERE number = ?"
            (attempt,) = db.execute(select, [number]).fetchone()
            return attempt

    def add_payout(self, payment, value, invoice):
        """Store the payout of an invoice."""
        self.add(payment, value)
        with self._transaction() as db:
            insert = "INSERT INTO payouts VALUES (?, ?) ON CONFLICT DO NOTHING"
            db.execute(insert, [payment, invoice])

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

    def apply(self, webhook_id, event, on_canceled):
        """Apply a webhook once, and return whether its payment is known.

        `on_canceled` gets the invoice of a payout that was canceled, its next try and its payout.

        The id and the new status are stored in one transaction, so that a repeat that arrives meanwhile
        waits, and a crash stores both or neither.
        """
        status = STATUSES.get(event["type"])
        if not status:
            return True
        canceled = None
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
                canceled = self._next_try(db, payment) if status == "canceled" else None
        if canceled:
            on_canceled(*canceled)
        return True

    @staticmethod
    def _next_try(db, payment):
        invoice = "number = (SELECT invoice FROM payouts WHERE payment = ?)"
        db.execute(f"UPDATE invoices SET attempt = attempt + 1 WHERE {invoice}", [payment])
        select = f"SELECT number, attempt, payout FROM invoices WHERE {invoice}"
        row = db.execute(select, [payment]).fetchone()
        return row and (row[0], row[1], json.loads(row[2]))

    @staticmethod
    def _history(db, payment):
        rows = db.execute("SELECT status FROM statuses WHERE payment = ? ORDER BY rowid", [payment])
        return [status for (status,) in rows]

    @contextmanager
    def _transaction(self):
        with closing(sqlite3.connect(self._file, isolation_level=None)) as db, db:
            db.execute("BEGIN IMMEDIATE")
            yield db
