require "json"
require "webrick"
require_relative "gateway"
require_relative "payments"
require_relative "webhook"

class Shop
  attr_reader :url

  def initialize(port)
    @payments = Payments.new
    silent = WEBrick::Log.new(File::NULL)
    @server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: port, Logger: silent, AccessLog: [])
    @url = ENV.fetch("SHOP_URL", "http://127.0.0.1:#{@server.listeners.first.addr[1]}")
    @server.mount_proc("/") { |request, response| route(request, response) }
  end

  def start = @server.start

  private

  def route(request, response)
    case [request.request_method, request.path]
    in ["POST", "/orders"] then answer(response, 201, create_order(JSON.parse(request.body)))
    in ["POST", "/payouts"] then answer(response, 201, create_payout(JSON.parse(request.body)))
    in ["POST", "/webhooks/pix"] then response.status = receive(request)
    in ["GET", %r{\A/payments/(.+)}]
      history = @payments.history(Regexp.last_match(1))
      history ? answer(response, 200, history) : response.status = 404
    else response.status = 404
    end
  end

  # The order's number is the idempotency key: the same order sent twice creates one charge.
  def create_order(order)
    payin = order.except("number").merge("webhook_url" => webhook_url)
    created = Gateway.create_payin("order-#{order["number"]}", payin)
    @payments.add(created["id"], payin["value"])
    created.slice("id", "qr_code")
  end

  def create_payout(fields)
    payout = fields.except("invoice").merge("webhook_url" => webhook_url)
    send_payout(@payments.invoice(fields["invoice"], payout))
  end

  def send_payout(invoice)
    created = Gateway.create_payout(invoice.key, invoice.payout)
    @payments.add(created["id"], invoice.payout["value"], invoice.number)
    created.slice("id")
  end

  # Sends a canceled payout again once. If that one is canceled too, the next POST /payouts sends another.
  def send_again(invoice)
    Thread.new { send_payout(invoice) } if invoice.attempt == 2
  end

  # Verifies the bytes as they were sent, and returns the status of the response.
  def receive(request)
    body = request.body.to_s
    return 400 unless genuine?(body, request, ENV.fetch("PIX_SANDBOX_SECRET"))

    # A webhook can arrive before create_payin returns: after a 404 the gateway sends it again.
    # Answer at once; slow work, such as sending e-mail, comes later.
    is_known = @payments.apply(request["webhook-id"], JSON.parse(body)) { |invoice| send_again(invoice) }
    is_known ? 200 : 404
  end

  def webhook_url = "#{@url}/webhooks/pix"

  def answer(response, status, content)
    response.status = status
    response.content_type = "application/json"
    response.body = JSON.generate(content)
  end
end

Shop.new(Integer(ENV.fetch("PORT", "3000"))).start if $PROGRAM_NAME == __FILE__
