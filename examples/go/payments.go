package main

import (
	"fmt"
	"sync"
)

var statuses = map[string]string{
	"payin.paid":       "paid",
	"payout.completed": "completed",
	"payout.canceled":  "canceled",
}

type event struct {
	Type string `json:"type"`
	Data struct {
		ID    string  `json:"id"`
		Value float64 `json:"value"`
	} `json:"data"`
}

// invoice is one try to pay an invoice. A try has its own key: a lost response is repeated with that key, and
// only a canceled payout starts the next try.
type invoice struct {
	number  string
	attempt int
	payout  map[string]any
}

func (i invoice) key() string {
	return fmt.Sprintf("invoice-%s-%d", i.number, i.attempt)
}

// payments has the statuses of each payin and payout, by its id, oldest first. A real shop has two tables:
// payments, and webhook ids with a unique index.
type payments struct {
	mutex        sync.Mutex
	histories    map[string][]string
	values       map[string]float64
	seenWebhooks map[string]bool
	invoices     map[string]invoice // the current try, by the invoice's number
	payouts      map[string]invoice // the try of each payout, by its id
}

func newPayments() *payments {
	return &payments{
		histories:    map[string][]string{},
		values:       map[string]float64{},
		seenWebhooks: map[string]bool{},
		invoices:     map[string]invoice{},
		payouts:      map[string]invoice{},
	}
}

// add stores a payment, unless it is stored already.
func (p *payments) add(id string, value float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.histories[id] == nil {
		p.histories[id] = []string{"waiting"}
		p.values[id] = value
	}
}

// invoice stores an invoice before its payout is sent, and returns its current try.
func (p *payments) invoice(number string, payout map[string]any) invoice {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	attempt := 1
	if stored, isStored := p.invoices[number]; isStored {
		attempt = stored.attempt
	}
	p.invoices[number] = invoice{number, attempt, payout}
	return p.invoices[number]
}

func (p *payments) addPayout(id string, invoice invoice) {
	value, _ := invoice.payout["value"].(float64)
	p.mutex.Lock()
	p.payouts[id] = invoice
	p.mutex.Unlock()
	p.add(id, value)
}

func (p *payments) history(id string) []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.histories[id]...)
}

// apply applies a webhook once, and returns whether its payment is known. The check and the change are one
// step; with a database, both belong in one transaction. If the webhook cancels a payout, apply also returns
// the next try of its invoice.
func (p *payments) apply(webhookID string, event event) (isKnown bool, next *invoice) {
	status, isApplied := statuses[event.Type]
	if !isApplied {
		return true, nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	id := event.Data.ID
	if p.histories[id] == nil {
		return false, nil
	}
	if p.seenWebhooks[webhookID] {
		return true, nil
	}
	p.seenWebhooks[webhookID] = true
	// An older event does not overwrite a final status, and another value is not this payment's.
	if len(p.histories[id]) > 1 || event.Data.Value != p.values[id] {
		return true, nil
	}
	p.histories[id] = append(p.histories[id], status)
	canceled, isPayout := p.payouts[id]
	current := p.invoices[canceled.number]
	if status != "canceled" || !isPayout || current.attempt != canceled.attempt {
		return true, nil
	}
	current.attempt++
	p.invoices[current.number] = current
	return true, &current
}
