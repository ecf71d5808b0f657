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

/** The payment's statuses, oldest first. */
function historyOf(string $id): ?array
{
    return changePayments(fn (array &$stored): ?array => $stored['histories'][$id] ?? null);
}

/**
 * Applies a webhook once.
 *
 * @return bool whether the payment is known
 */
function applyWebhook(string $webhookId, array $event): bool
{
    $status = STATUSES[$event['type']] ?? null;
    if ($status === null) {
        return true;
    }
    return changePayments(function (array &$stored) use ($webhookId, $event, $status): bool {
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
            }
        }
        return true;
    });
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
