require "json"
require "minitest/autorun"
require "net/http"
require_relative "shop"

class TestShop < Minitest::Test
  BUYER = {
    buyer_cpf: "12345678909",
    buyer_name: "Maria da Silva",
    buyer_email: "maria@example.com"
  }.freeze

  SHOP = Shop.new(0)
  Thread.new { SHOP.start }

  def test_a_paid_order_is_marked_as_paid
    id, qr_code = create_order("1001").values_at("id", "qr_code")
    assert_match(/\A000201/, qr_code)
    sandbox("POST", "/payins/#{id}/pay")
    sandbox("GET", "/wait?type=payin.paid&transaction_id=#{id}")
    assert_equal %w[waiting paid], history(id)
  end

  def test_a_repeated_webhook_changes_nothing
    id = create_order("1002")["id"]
    sandbox("POST", "/faults", { on: "webhook", effect: "duplicate_at_once", times: 1 })
    sandbox("POST", "/payins/#{id}/pay")
    sandbox("POST", "/settle") # until both have been answered
    delivery = sandbox("GET", "/wait?type=payin.paid&transaction_id=#{id}")
    resent = sandbox("POST", "/deliveries/#{delivery["id"]}/resend")
    assert_equal [200, 200, 200], resent["attempts"].map { |attempt| attempt["status"] }
    assert_equal %w[waiting paid], history(id)
  end

  def test_a_webhook_with_a_wrong_signature_is_refused
    id = create_order("1003")["id"]
    sandbox("POST", "/faults", { on: "webhook", effect: "bad_signature", times: 1 })
    sandbox("POST", "/payins/#{id}/pay")
    sandbox("POST", "/settle")
    delivery = sandbox("GET", "/deliveries?transaction_id=#{id}")["data"].first
    assert_equal 400, delivery["attempts"].first["status"]
    assert_equal %w[waiting], history(id)
  end

  def test_a_payout_whose_answer_is_lost_is_sent_once
    sandbox("POST", "/faults", { on: "payouts.create", effect: "lost_answer", times: 1 })
    id = call("POST", "#{SHOP.url}/payouts", {
      invoice: "2001",
      value: 25,
      receiver_cpf: "52998224725",
      receiver_name: "João Souza",
      receiver_email: "joao@example.com",
      pix_key: "52998224725",
      pix_key_type: "cpf"
    })["id"]
    assert_equal [id], sandbox("GET", "/payouts")["data"].map { |payout| payout["id"] }
    sandbox("POST", "/payouts/#{id}/complete")
    sandbox("GET", "/wait?type=payout.completed&transaction_id=#{id}")
    assert_equal %w[waiting completed], history(id)
  end

  def test_a_signature_is_valid_for_its_bytes_for_five_minutes
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = {
      "webhook-id" => "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp" => "1614265330",
      "webhook-signature" => "v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    }
    body = '{"test": 2432232314}'
    sent = Time.at(1_614_265_330)
    assert genuine?(body, headers, secret, now: sent)
    assert genuine?(body, headers, secret, now: sent + 300)
    refute genuine?(body, headers, secret, now: sent + 301)
    refute genuine?(body, headers, secret, now: sent - 301)
    refute genuine?('{"test":2432232314}', headers, secret, now: sent)
    refute genuine?(body, {}, secret)
  end

  private

  def create_order(number) = call("POST", "#{SHOP.url}/orders", { number:, value: 10.5, **BUYER })
  def history(id) = call("GET", "#{SHOP.url}/payments/#{id}")

  # Calls a control route of the sandbox.
  def sandbox(method, path, body = nil)
    call(method, "#{ENV.fetch("PIX_SANDBOX_URL")}/_sandbox#{path}", body)
  end

  def call(method, url, body = nil)
    uri = URI(url)
    headers = { "x-api-token" => ENV.fetch("PIX_SANDBOX_TOKEN") }
    headers["content-type"] = "application/json" if body
    response = Net::HTTP.start(uri.host, uri.port) do |http|
      http.send_request(method, uri.request_uri, body && JSON.generate(body), headers)
    end
    assert_kind_of Net::HTTPSuccess, response, "#{method} #{url}"
    JSON.parse(response.body)
  end
end
