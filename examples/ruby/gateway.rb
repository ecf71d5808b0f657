require "json"
require "net/http"

module Gateway
  PAUSES = [0, 0.2, 1, 5].freeze

  # The gateway did not do what was requested. The same call would be refused again.
  class Refused < StandardError; end

  module_function

  def create_payin(key, payin) = post("/payins", key, payin)
  def create_payout(key, payout) = post("/payouts", key, payout)

  # Sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
  # sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
  def post(path, key, body)
    uri = URI(ENV.fetch("PIX_SANDBOX_BASE_URL") + path)
    headers = {
      "content-type" => "application/json",
      "x-api-token" => ENV.fetch("PIX_SANDBOX_TOKEN"),
      "x-provider-id" => "1",
      "x-provider" => "My Shop",
      "x-country-code" => "BR",
      "x-idempotency-key" => key
    }
    failure = nil
    PAUSES.each do |pause|
      sleep pause
      response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", read_timeout: 10) do |http|
        http.post(uri.path, JSON.generate(body), headers)
      end
      return JSON.parse(response.body) if response.is_a?(Net::HTTPSuccess)
      raise Refused, response.body if response.is_a?(Net::HTTPClientError)

      failure = RuntimeError.new("#{path}: #{response.code} #{response.body}")
    rescue SystemCallError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, JSON::ParserError => e
      failure = e
    end
    raise failure
  end
end
