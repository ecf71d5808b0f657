# The statuses of each payin and payout, by its id, oldest first. A real shop has two tables: payments, and
# webhook ids with a unique index.
class Payments
  STATUSES = {
    "payin.paid" => "paid",
    "payout.completed" => "completed",
    "payout.canceled" => "canceled"
  }.freeze

  def initialize
    @mutex = Mutex.new
    @histories = {}
    @values = {}
    @seen_webhooks = {}
  end

  # Stores a payment, unless it is stored already.
  def add(id, value)
    @mutex.synchronize do
      @histories[id] ||= ["waiting"]
      @values[id] = value
    end
  end

  def history(id)
    @mutex.synchronize { @histories[id]&.dup }
  end

  # Applies a webhook once, and returns whether its payment is known. The check and the change are one step;
  # with a database, both belong in one transaction.
  def apply(webhook_id, event)
    status = STATUSES[event["type"]]
    return true unless status

    @mutex.synchronize do
      id, value = event["data"].values_at("id", "value")
      history = @histories[id]
      next false unless history

      # An older event does not overwrite a final status, and another value is not this payment's.
      is_expected = history.size == 1 && value == @values[id]
      history << status if is_expected && !@seen_webhooks[webhook_id]
      @seen_webhooks[webhook_id] = true
    end
  end
end
