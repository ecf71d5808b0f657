require "openssl"

# Verifies a webhook's signature, as Standard Webhooks defines it.
# `body` is the raw bytes of the request, before any JSON parser.
def genuine?(body, headers, secret, now: Time.now)
  id, timestamp = headers["webhook-id"], headers["webhook-timestamp"].to_s
  return false unless timestamp.match?(/\A\d+\z/) && (now.to_i - timestamp.to_i).abs <= 300

  key = secret.delete_prefix("whsec_").unpack1("m")
  hmac = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[hmac].pack("m0")}"
  headers["webhook-signature"].to_s.split.any? { |one| OpenSSL.secure_compare(one, expected) }
end
