<?php

/**
 * Verifies a webhook's signature, as Standard Webhooks defines it.
 *
 * @param string $body the raw bytes of the request, before any JSON parser
 * @param ?int $now in seconds
 */
function isGenuine(string $body, array $headers, string $secret, ?int $now = null): bool
{
    [$id, $timestamp] = [$headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? ''];
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $hmac = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($hmac);
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
