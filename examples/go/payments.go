package main

import "sync"

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

// payments has the statuses of each payin and payout, by its id, oldest first. A real shop has two tables:
// payments, and webhook ids with a unique index.
type payments struct {
	mutex        sync.Mutex
	histories    map[string][]string
	values       map[string]float64
	seenWebhooks map[string]bool
}

func newPayments() *payments {
	return &payments{
		histories:    map[string][]string{},
		values:       map[string]float64{},
		seenWebhooks: map[string]bool{},
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

func (p *payments) history(id string) []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.histories[id]...)
}

// apply applies a webhook once, and returns whether its payment is known. The check and the change are one
// step; with a database, both belong in one transaction.
func (p *payments) apply(webhookID string, event event) bool {
	status, isApplied := statuses[event.Type]
	if !isApplied {
		return true
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	id := event.Data.ID
	if p.histories[id] == nil {
		return false
	}
	if !p.seenWebhooks[webhookID] {
		p.seenWebhooks[webhookID] = true
		// An older event does not overwrite a final status, and another value is not this payment's.
		if len(p.histories[id]) == 1 && event.Data.Value == p.values[id] {
			p.histories[id] = append(p.histories[id], status)
		}
	}
	return true
}
