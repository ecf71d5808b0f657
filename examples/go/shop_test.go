package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

type delivery struct {
	ID       string
	Attempts []struct{ Status int }
}

func startShop(t *testing.T) string {
	s := &shop{payments: newPayments()}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	s.url = server.URL
	return server.URL
}

func TestPaidOrderIsMarkedAsPaid(t *testing.T) {
	shop := startShop(t)
	order := createOrder(t, shop, "1001")
	if !strings.HasPrefix(order.QRCode, "000201") {
		t.Errorf("QR code %q", order.QRCode)
	}
	sandbox(t, "POST", "/payins/"+order.ID+"/pay", nil, nil)
	sandbox(t, "GET", "/wait?type=payin.paid&transaction_id="+order.ID, nil, nil)
	expectHistory(t, shop, order.ID, "waiting", "paid")
}

func TestRepeatedWebhookChangesNothing(t *testing.T) {
	shop := startShop(t)
	order := createOrder(t, shop, "1002")
	sandbox(t, "POST", "/faults", object{"on": "webhook", "effect": "duplicate_at_once", "times": 1}, nil)
	sandbox(t, "POST", "/payins/"+order.ID+"/pay", nil, nil)
	sandbox(t, "POST", "/settle", nil, nil) // until both have been answered
	var sent delivery
	sandbox(t, "GET", "/wait?type=payin.paid&transaction_id="+order.ID, nil, &sent)
	sandbox(t, "POST", "/deliveries/"+sent.ID+"/resend", nil, &sent)
	if len(sent.Attempts) != 3 {
		t.Errorf("%d attempts", len(sent.Attempts))
	}
	for _, attempt := range sent.Attempts {
		if attempt.Status != 200 {
			t.Errorf("status %d", attempt.Status)
		}
	}
	expectHistory(t, shop, order.ID, "waiting", "paid")
}

func TestWebhookWithWrongSignatureIsRefused(t *testing.T) {
	shop := startShop(t)
	order := createOrder(t, shop, "1003")
	sandbox(t, "POST", "/faults", object{"on": "webhook", "effect": "bad_signature", "times": 1}, nil)
	sandbox(t, "POST", "/payins/"+order.ID+"/pay", nil, nil)
	sandbox(t, "POST", "/settle", nil, nil)
	var page struct{ Data []delivery }
	sandbox(t, "GET", "/deliveries?transaction_id="+order.ID, nil, &page)
	if status := page.Data[0].Attempts[0].Status; status != 400 {
		t.Errorf("status %d", status)
	}
	expectHistory(t, shop, order.ID, "waiting")
}

func TestPayoutWhoseAnswerIsLostIsSentOnce(t *testing.T) {
	shop := startShop(t)
	sandbox(t, "POST", "/faults", object{"on": "payouts.create", "effect": "lost_answer", "times": 1}, nil)
	var payout created
	call(t, "POST", shop+"/payouts", object{
		"invoice":        "2001",
		"value":          25,
		"receiver_cpf":   "52998224725",
		"receiver_name":  "João Souza",
		"receiver_email": "joao@example.com",
		"pix_key":        "52998224725",
		"pix_key_type":   "cpf",
	}, &payout)
	var page struct{ Data []created }
	sandbox(t, "GET", "/payouts", nil, &page)
	if len(page.Data) != 1 || page.Data[0].ID != payout.ID {
		t.Errorf("payouts %v", page.Data)
	}
	sandbox(t, "POST", "/payouts/"+payout.ID+"/complete", nil, nil)
	sandbox(t, "GET", "/wait?type=payout.completed&transaction_id="+payout.ID, nil, nil)
	expectHistory(t, shop, payout.ID, "waiting", "completed")
}

func TestSignatureIsValidForItsBytesForFiveMinutes(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	header := http.Header{
		"Webhook-Id":        {"msg_p5jXN8AQM9LWM0D4loKWxJek"},
		"Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,b2xk v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	const body, sent = `{"test": 2432232314}`, 1614265330
	for _, one := range []struct {
		body     string
		header   http.Header
		seconds  int64
		expected bool
	}{
		{body, header, sent, true},
		{body, header, sent + 300, true},
		{body, header, sent + 301, false},
		{body, header, sent - 301, false},
		{`{"test":2432232314}`, header, sent, false},
		{body, http.Header{}, sent, false},
	} {
		if isGenuine([]byte(one.body), one.header, secret, time.Unix(one.seconds, 0)) != one.expected {
			t.Errorf("not %v: %v", one.expected, one)
		}
	}
}

func createOrder(t *testing.T, shop, number string) (order created) {
	t.Helper()
	call(t, "POST", shop+"/orders", object{
		"number":      number,
		"value":       10.5,
		"buyer_cpf":   "12345678909",
		"buyer_name":  "Maria da Silva",
		"buyer_email": "maria@example.com",
	}, &order)
	return order
}

func expectHistory(t *testing.T, shop, id string, expected ...string) {
	t.Helper()
	var history []string
	call(t, "GET", shop+"/payments/"+id, nil, &history)
	if !reflect.DeepEqual(history, expected) {
		t.Errorf("history %v, expected %v", history, expected)
	}
}

// sandbox calls a control route of the sandbox.
func sandbox(t *testing.T, method, path string, body object, answer any) {
	t.Helper()
	call(t, method, os.Getenv("PIX_SANDBOX_URL")+"/_sandbox"+path, body, answer)
}

func call(t *testing.T, method, url string, body object, answer any) {
	t.Helper()
	var content bytes.Buffer
	if body != nil {
		json.NewEncoder(&content).Encode(body)
	}
	request, err := http.NewRequest(method, url, &content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-api-token", os.Getenv("PIX_SANDBOX_TOKEN"))
	if body != nil {
		request.Header.Set("content-type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d", method, url, response.StatusCode)
	}
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			t.Fatal(err)
		}
	}
}
