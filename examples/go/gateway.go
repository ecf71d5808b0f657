package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

var pauses = []time.Duration{0, 200 * time.Millisecond, time.Second, 5 * time.Second}

// created is the gateway's answer to a new payin or payout. A payout has no QRCode.
type created struct {
	ID     string `json:"id"`
	QRCode string `json:"qr_code,omitempty"`
}

func createPayin(key string, payin map[string]any) (created, error) {
	return post("/payins", key, payin)
}

func createPayout(key string, payout map[string]any) (created, error) {
	return post("/payouts", key, payout)
}

// post sends a call. If no answer comes, or a 5xx, the gateway may or may not have done it. The call is then
// sent again with the same key: the gateway answers with the first outcome and creates nothing twice.
func post(path, key string, body map[string]any) (answer created, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return answer, err
	}
	for _, pause := range pauses {
		time.Sleep(pause)
		var status int
		status, err = postOnce(path, key, content, &answer)
		if err == nil || status >= 400 && status < 500 {
			break // done, or refused: the same call would be refused again
		}
	}
	return answer, err
}

var client = &http.Client{Timeout: 10 * time.Second}

// postOnce returns the status of the answer, 0 without an answer, and an error unless it is a success.
func postOnce(path, key string, content []byte, answer *created) (int, error) {
	request, err := http.NewRequest("POST", os.Getenv("PIX_SANDBOX_BASE_URL")+path, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-api-token", os.Getenv("PIX_SANDBOX_TOKEN"))
	request.Header.Set("x-provider-id", "1")
	request.Header.Set("x-provider", "My Shop")
	request.Header.Set("x-country-code", "BR")
	request.Header.Set("x-idempotency-key", key)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, fmt.Errorf("%s: %d %s", path, response.StatusCode, text)
	}
	return response.StatusCode, json.Unmarshal(text, answer)
}
