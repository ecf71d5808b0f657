<?php

require __DIR__ . '/webhook.php';

const BUYER = [
    'buyer_cpf' => '12345678909',
    'buyer_name' => 'Maria da Silva',
    'buyer_email' => 'maria@example.com',
];

const TESTS = [
    'a paid order is marked as paid' => 'testPaidOrder',
    'a repeated webhook changes nothing' => 'testRepeatedWebhook',
    'a webhook with a wrong signature is refused' => 'testWrongSignature',
    'a payout whose answer is lost is sent once' => 'testLostAnswer',
    'a signature is valid for its bytes, for five minutes' => 'testSignature',
];

function testPaidOrder(): void
{
    ['id' => $id, 'qr_code' => $qrCode] = createOrder('1001');
    equal('000201', substr($qrCode, 0, 6));
    sandbox('POST', "/payins/$id/pay");
    sandbox('GET', "/wait?type=payin.paid&transaction_id=$id");
    equal(['waiting', 'paid'], historyOf($id));
}

function testRepeatedWebhook(): void
{
    ['id' => $id] = createOrder('1002');
    sandbox('POST', '/faults', ['on' => 'webhook', 'effect' => 'duplicate_at_once', 'times' => 1]);
    sandbox('POST', "/payins/$id/pay");
    sandbox('POST', '/settle'); // until both have been answered
    $delivery = sandbox('GET', "/wait?type=payin.paid&transaction_id=$id");
    $resent = sandbox('POST', "/deliveries/{$delivery['id']}/resend");
    equal([200, 200, 200], array_column($resent['attempts'], 'status'));
    equal(['waiting', 'paid'], historyOf($id));
}

function testWrongSignature(): void
{
    ['id' => $id] = createOrder('1003');
    sandbox('POST', '/faults', ['on' => 'webhook', 'effect' => 'bad_signature', 'times' => 1]);
    sandbox('POST', "/payins/$id/pay");
    sandbox('POST', '/settle');
    ['data' => [$delivery]] = sandbox('GET', "/deliveries?transaction_id=$id");
    equal(400, $delivery['attempts'][0]['status']);
    equal(['waiting'], historyOf($id));
}

function testLostAnswer(): void
{
    sandbox('POST', '/faults', ['on' => 'payouts.create', 'effect' => 'lost_answer', 'times' => 1]);
    ['id' => $id] = call('POST', shopUrl() . '/payouts', [
        'invoice' => '2001',
        'value' => 25,
        'receiver_cpf' => '52998224725',
        'receiver_name' => 'João Souza',
        'receiver_email' => 'joao@example.com',
        'pix_key' => '52998224725',
        'pix_key_type' => 'cpf',
    ]);
    equal([$id], array_column(sandbox('GET', '/payouts')['data'], 'id'));
    sandbox('POST', "/payouts/$id/complete");
    sandbox('GET', "/wait?type=payout.completed&transaction_id=$id");
    equal(['waiting', 'completed'], historyOf($id));
}

function testSignature(): void
{
    $secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    $headers = [
        'webhook-id' => 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp' => '1614265330',
        'webhook-signature' => 'v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ];
    $body = '{"test": 2432232314}';
    equal(true, isGenuine($body, $headers, $secret, 1614265330));
    equal(true, isGenuine($body, $headers, $secret, 1614265330 + 300));
    equal(false, isGenuine($body, $headers, $secret, 1614265330 + 301));
    equal(false, isGenuine($body, $headers, $secret, 1614265330 - 301));
    equal(false, isGenuine('{"test":2432232314}', $headers, $secret, 1614265330));
    equal(false, isGenuine($body, [], $secret));
}

function createOrder(string $number): array
{
    return call('POST', shopUrl() . '/orders', ['number' => $number, 'value' => 10.5] + BUYER);
}

function historyOf(string $id): array
{
    return call('GET', shopUrl() . "/payments/$id");
}

/** Calls a control route of the sandbox. */
function sandbox(string $method, string $path, ?array $body = null): array
{
    return call($method, getenv('PIX_SANDBOX_URL') . "/_sandbox$path", $body);
}

function call(string $method, string $url, ?array $body = null): array
{
    $headers = ['x-api-token: ' . getenv('PIX_SANDBOX_TOKEN')];
    $http = ['method' => $method, 'timeout' => 10];
    if ($body !== null) {
        $headers[] = 'content-type: application/json';
        $http['content'] = json_encode($body);
    }
    $context = stream_context_create(['http' => $http + ['header' => $headers]]);
    return json_decode(file_get_contents($url, false, $context), true);
}

function equal(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new Exception('Expected ' . json_encode($expected) . ', got ' . json_encode($actual));
    }
}

function shopUrl(): string
{
    return getenv('SHOP_URL');
}

/** Starts PHP's own web server on a free port, with workers that run at the same time. */
function startShop(string $file): mixed
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    putenv("SHOP_URL=http://$address");
    putenv("SHOP_FILE=$file");
    putenv('PHP_CLI_SERVER_WORKERS=4');
    $command = [PHP_BINARY, '-S', $address, __DIR__ . '/shop.php'];
    $server = proc_open($command, [2 => ['file', '/dev/null', 'w']], $pipes);
    while (!@fsockopen("tcp://$address")) {
        usleep(20_000);
    }
    return $server;
}

// A warning, such as that of a failed call, fails the test.
set_error_handler(function (int $level, string $message): bool {
    if (error_reporting() & $level) {
        throw new ErrorException($message);
    }
    return true;
});
$file = tempnam(sys_get_temp_dir(), 'shop');
$server = startShop($file);
$failed = 0;
foreach (TESTS as $name => $test) {
    try {
        $test();
        echo "ok - $name\n";
    } catch (Throwable $error) {
        $failed++;
        echo "not ok - $name\n$error\n";
    }
}
proc_terminate($server);
unlink($file);
exit($failed === 0 ? 0 : 1);
