<?php

require __DIR__ . '/gateway.php';
require __DIR__ . '/payments.php';
require __DIR__ . '/webhook.php';

$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
// The signature covers these bytes: verify first, parse then.
$body = file_get_contents('php://input');
$webhookUrl = (getenv('SHOP_URL') ?: 'http://127.0.0.1:3000') . '/webhooks/pix';

if ($route === 'POST /webhooks/pix') {
    $headers = [
        'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
        'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
        'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
    ];
    if (!isGenuine($body, $headers, getenv('PIX_SANDBOX_SECRET'))) {
        answer(400);
    }
    // A webhook can arrive before createPayin() returns: after a 404 the gateway sends it again.
    // Answer at once; slow work, such as sending e-mail, comes later.
    $isKnown = applyWebhook($headers['webhook-id'], json_decode($body, true), sendAgain(...));
    answer($isKnown ? 200 : 404);
}

if ($route === 'POST /orders') {
    // The order's number is the idempotency key: the same order sent twice creates one charge.
    $order = json_decode($body, true);
    $payin = ['webhook_url' => $webhookUrl] + array_diff_key($order, ['number' => 0]);
    $created = createPayin("order-{$order['number']}", $payin);
    addPayment($created['id'], $payin['value']);
    answer(201, ['id' => $created['id'], 'qr_code' => $created['qr_code']]);
}

if ($route === 'POST /payouts') {
    $invoice = json_decode($body, true);
    $payout = ['webhook_url' => $webhookUrl] + array_diff_key($invoice, ['invoice' => 0]);
    answer(201, ['id' => sendPayout($invoice['invoice'], tryOf($invoice['invoice'], $payout), $payout)]);
}

if (str_starts_with($route, 'GET /payments/')) {
    $history = historyOf(basename($route));
    answer($history ? 200 : 404, $history);
}

answer(404);

function sendPayout(string $invoice, int $attempt, array $payout): string
{
    $created = createPayout("invoice-$invoice-$attempt", $payout);
    addPayout($created['id'], $payout['value'], $invoice);
    return $created['id'];
}

/** Once. If that one is canceled too, the next POST /payouts sends another. A real shop puts it into a queue. */
function sendAgain(string $invoice, int $attempt, array $payout): void
{
    if ($attempt === 2) {
        sendPayout($invoice, $attempt, $payout);
    }
}

function answer(int $status, ?array $content = null): never
{
    http_response_code($status);
    if ($content !== null) {
        header('content-type: application/json');
        echo json_encode($content, JSON_THROW_ON_ERROR);
    }
    exit;
}
