<?php

const STATUSES = [
    'payin.paid' => 'paid',
    'payout.completed' => 'completed',
    'payout.canceled' => 'canceled',
];

/** Stores a payment, unless it is stored already. */
function addPayment(string $id, float $value): void
{
    changePayments(function (array &$stored) use ($id, $value): void {
        $stored['histories'][$id] ??= ['waiting'];
        $stored['values'][$id] = $value;
    });
}

/**
 * Stores an invoice before its payout is sent, and returns the number of its try. A try has its own key: a lost
 * response is repeated with that key, and only a canceled payout starts the next try.
 */
function tryOf(string $invoice, array $payout): int
{
    return changePayments(function (array &$stored) use ($invoice, $payout): int {
        $stored['invoices'][$invoice] ??= ['attempt' => 1, 'payout' => $payout];
        return $stored['invoices'][$invoice]['attempt'];
    });
}

/** Stores the payout of an invoice. */
function addPayout(string $id, float $value, string $invoice): void
{
    addPayment($id, $value);
    changePayments(function (array &$stored) use ($id, $invoice): void {
        $stored['invoiceOfPayout'][$id] = $invoice;
    });
}

/** The payment's statuses, oldest first. */
function historyOf(string $id): ?array
{
    return changePayments(fn (array &$stored): ?array => $stored['histories'][$id] ?? null);
}

/**
 * Applies a webhook once.
 *
 * @param callable $onCanceled called with the invoice of a payout that was canceled, its next try and its payout
 * @return bool whether the payment is known
 */
function applyWebhook(string $webhookId, array $event, callable $onCanceled): bool
{
    $status = STATUSES[$event['type']] ?? null;
    if ($status === null) {
        return true;
    }
    $canceled = null;
    $isKnown = changePayments(function (array &$stored) use ($webhookId, $event, $status, &$canceled): bool {
        $payment = $event['data']['id'];
        if (!isset($stored['histories'][$payment])) {
            return false;
        }
        if (!isset($stored['webhooks'][$webhookId])) {
            $stored['webhooks'][$webhookId] = true;
            // An older event does not overwrite a final status, and another value is not this payment's.
            $isWaiting = count($stored['histories'][$payment]) === 1;
            if ($isWaiting && ($event['data']['value'] ?? null) == $stored['values'][$payment]) {
                $stored['histories'][$payment][] = $status;
                $invoice = $stored['invoiceOfPayout'][$payment] ?? null;
                if ($status === 'canceled' && $invoice !== null) {
                    $attempt = ++$stored['invoices'][$invoice]['attempt'];
                    $canceled = [$invoice, $attempt, $stored['invoices'][$invoice]['payout']];
                }
            }
        }
        return true;
    });
    if ($canceled) {
        $onCanceled(...$canceled);
    }
    return $isKnown;
}

/**
 * Changes the stored payments while no other request can. A real shop uses a database: one transaction,
 * and a table of webhook ids with a unique index.
 */
function changePayments(callable $change): mixed
{
    $file = fopen(getenv('SHOP_FILE') ?: 'shop.json', 'c+');
    flock($file, LOCK_EX);
    try {
        $before = stream_get_contents($file);
        $stored = json_decode($before, true) ?? ['histories' => [], 'webhooks' => []];
        $result = $change($stored);
        $after = json_encode($stored, JSON_THROW_ON_ERROR);
        if ($after !== $before) {
            rewind($file);
            ftruncate($file, 0);
            fwrite($file, $after);
        }
        return $result;
    } finally {
        fclose($file); // also unlocks it
    }
}
