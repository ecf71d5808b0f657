// A shop that sells with Pix.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const maxBody = 1 << 20

type shop struct {
	url      string // public address, without a slash at the end
	payments *payments
}

func (s *shop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/orders", s.createOrder)
	mux.HandleFunc("/payouts", s.createPayout)
	mux.HandleFunc("/payments/", s.showPayment)
	mux.HandleFunc("/webhooks/pix", s.receiveWebhook)
	return http.MaxBytesHandler(mux, maxBody)
}

// createOrder uses the order's number as the idempotency key: the same order sent twice creates one charge.
func (s *shop) createOrder(w http.ResponseWriter, r *http.Request) {
	s.create(w, r, "number", func(number string, payin map[string]any) (created, error) {
		answer, err := createPayin("order-"+number, payin)
		if err == nil {
			value, _ := payin["value"].(float64)
			s.payments.add(answer.ID, value)
		}
		return answer, err
	})
}

func (s *shop) createPayout(w http.ResponseWriter, r *http.Request) {
	s.create(w, r, "invoice", func(number string, payout map[string]any) (created, error) {
		return s.sendPayout(s.payments.invoice(number, payout))
	})
}

func (s *shop) sendPayout(invoice invoice) (created, error) {
	answer, err := createPayout(invoice.key(), invoice.payout)
	if err == nil {
		s.payments.addPayout(answer.ID, invoice)
	}
	return answer, err
}

func (s *shop) create(
	w http.ResponseWriter, r *http.Request, idField string,
	send func(number string, body map[string]any) (created, error),
) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	number := fmt.Sprint(body[idField])
	delete(body, idField)
	body["webhook_url"] = s.url + "/webhooks/pix"
	answer, err := send(number, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	writeJSON(w, http.StatusCreated, answer)
}

func (s *shop) showPayment(w http.ResponseWriter, r *http.Request) {
	history := s.payments.history(strings.TrimPrefix(r.URL.Path, "/payments/"))
	if history == nil {
		http.NotFound(w, r)
		return
	}
	writeJSON(w, http.StatusOK, history)
}

func (s *shop) receiveWebhook(w http.ResponseWriter, r *http.Request) {
	// The signature covers the bytes as they were sent: verify first, parse then.
	body, err := io.ReadAll(r.Body)
	if err != nil || !isGenuine(body, r.Header, os.Getenv("PIX_SANDBOX_SECRET"), time.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event event
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// A webhook can arrive before createPayin returns: after a 404 the gateway sends it again.
	isKnown, next := s.payments.apply(r.Header.Get("webhook-id"), event)
	if !isKnown {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	// Answer at once; slow work, such as sending e-mail, comes later.
	w.WriteHeader(http.StatusOK)
	// A canceled payout is sent again once. If that one is canceled too, the next POST /payouts sends another.
	if next != nil && next.attempt == 2 {
		go func() {
			if _, err := s.sendPayout(*next); err != nil {
				log.Print(err)
			}
		}()
	}
}

func writeJSON(w http.ResponseWriter, status int, content any) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(content)
}

func main() {
	port := getenv("PORT", "3000")
	s := &shop{url: getenv("SHOP_URL", "http://127.0.0.1:"+port), payments: newPayments()}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, s.handler()))
}

func getenv(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
