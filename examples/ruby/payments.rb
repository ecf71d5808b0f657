# The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments, and
# webhook ids with a unique index.
class Payments
  STATUSES = {
    "payin.paid" => "paid",
    "payout.completed" => "completed",
    "payout.canceled" => "canceled"
  }.freeze

  # An invoice at its current try. A try has its own key: a lost response is repeated with that key, and only
  # a canceled payout starts the next try.
  Invoice = Struct.new(:number, :attempt, :payout) do
    def key = "invoice-#{number}-#{attempt}"
  end

  def initialize
    @mutex = Mutex.new
    @histories = {}
    @values = {}
    @seen_webhooks = {}
    @invoices = {}
    @invoice_numbers = {} # by the id of the payout
  end

  # Stores a payment, unless it is stored already. A payout has the number of its invoice.
  def add(id, value, invoice_number = nil)
    @mutex.synchronize do
      @histories[id] ||= ["waiting"]
      @values[id] = value
      @invoice_numbers[id] = invoice_number if invoice_number
    end
  end

  # Stores an invoice before its payout is sent, and returns it.
  def invoice(number, payout)
    @mutex.synchronize do
      attempt = @invoices[number]&.attempt || 1
      @invoices[number] = Invoice.new(number, attempt, payout).freeze
    end
  end

  def history(id)
    @mutex.synchronize { @histories[id]&.dup }
  end

  # Applies a webhook once, and returns whether its payment is known. The check and the change are one step;
  # with a database, both belong in one transaction. Yields the invoice of a canceled payout, once, at its
  # next try.
  def apply(webhook_id, event)
    status = STATUSES[event["type"]]
    return true unless status

    canceled = nil
    is_known = @mutex.synchronize do
      id, value = event["data"].values_at("id", "value")
      history = @histories[id]
      next false unless history

      # An older event does not overwrite a final status, and another value is not this payment's.
      is_expected = history.size == 1 && value == @values[id]
      if is_expected && !@seen_webhooks[webhook_id]
        history << status
        canceled = next_try(@invoice_numbers[id]) if status == "canceled"
      end
      @seen_webhooks[webhook_id] = true
    end
    yield canceled if canceled
    is_known
  end

  private

  def next_try(number)
    invoice = @invoices[number] or return
    @invoices[number] = Invoice.new(number, invoice.attempt + 1, invoice.payout).freeze
  end
end
