# rackup rails_app.ru -p 3000
require "action_controller/railtie"
require_relative "webhook"

class App < Rails::Application
  config.eager_load = false
  config.logger = Logger.new($stderr)
  routes.append { post "webhooks/pix" => "webhooks#pix" }
end

class WebhooksController < ActionController::API
  def pix
    # The raw bytes: params are parsed and lose them.
    body = request.raw_post
    return head :unauthorized unless genuine?(body, request.headers, ENV.fetch("PIX_SANDBOX_SECRET"))

    event = JSON.parse(body)
    puts [event["type"], *event["data"].values_at("id", "status")].join(" ")
    head :ok
  end
end

$stdout.sync = true
App.initialize!
run App
