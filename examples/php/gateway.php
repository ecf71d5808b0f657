<?php

const PAUSES_MS = [0, 200, 1000, 5000];

function createPayin(string $key, array $payin): array
{
    return postToGateway('/payins', $key, $payin);
}

function createPayout(string $key, array $payout): array
{
    return postToGateway('/payouts', $key, $payout);
}

/**
 * Sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
 * sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
 */
function postToGateway(string $path, string $key, array $body): array
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'content-type: application/json',
            'x-api-token: ' . getenv('PIX_SANDBOX_TOKEN'),
            'x-provider-id: 1',
            'x-provider: My Shop',
            'x-country-code: BR',
            "x-idempotency-key: $key",
        ],
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 10,
        'ignore_errors' => true, // return the body of a 4xx, too
    ]]);
    foreach (PAUSES_MS as $pause) {
        usleep($pause * 1000);
        $stream = @fopen(getenv('PIX_SANDBOX_BASE_URL') . $path, 'r', false, $context);
        $statusLine = $stream ? stream_get_meta_data($stream)['wrapper_data'][0] : 'HTTP/1.1 0';
        $status = (int) explode(' ', $statusLine)[1];
        $answer = $stream ? stream_get_contents($stream) : 'no answer';
        $content = json_decode($answer, true);
        if ($status === 200 && $content !== null) {
            return $content;
        }
        if ($status >= 400 && $status < 500) {
            break; // refused: the same call would be refused again
        }
    }
    throw new RuntimeException("$path: $status $answer");
}
