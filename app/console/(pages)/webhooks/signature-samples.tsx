import { type CodeSample, CodeSamples } from "#app/console/ui/tabs.tsx";

export const SignatureSamples = () => (
  <CodeSamples
    samples={samples}
    noun="receiver"
    setUp={
      <>
        Set the signing secret as <code>WEBHOOK_SECRET</code> in the environment.
      </>
    }
  />
);

const node = (library: string) => `import express from "express";
import { Webhook } from "${library}";

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…
const app = express();

// Verify the raw body: parsing and serializing it again would change the signature.
app.post("/webhooks", express.raw({ type: "application/json" }), (request, response) => {
  const body = request.body.toString();
  try {
    webhook.verify(body, request.headers);
  } catch {
    return response.status(401).end();
  }
  response.status(204).end();
  // Retries and replays have the same id: process each id only once.
  const event = JSON.parse(body);
  console.log(request.headers["webhook-id"], event.type, event.data);
});

app.listen(3000);
`;

const python = `import base64, hashlib, hmac, os, time
from flask import Flask, abort, request

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
app = Flask(__name__)


def is_valid(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    is_recent = abs(time.time() - int(headers["webhook-timestamp"])) <= 300
    entries = headers["webhook-signature"].split()
    return is_recent and any(hmac.compare_digest(entry, expected) for entry in entries)


@app.post("/webhooks")
def receive():
    if not is_valid(request.headers, request.get_data()):
        abort(401)
    event = request.get_json()
    # Retries and replays have the same id: process each id only once.
    print(request.headers["webhook-id"], event["type"], event["data"])
    return "", 204
`;

const go = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func isValid(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, entry := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(entry), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("/webhooks", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !isValid(r.Header, body) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		// Retries and replays have the same id: process each id only once.
		log.Printf("%s %s", r.Header.Get("webhook-id"), body)
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}
`;

const php = `<?php
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';

$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));

$isValid = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $entry) {
    $isValid = hash_equals($expected, $entry) || $isValid;
}
if (!$isValid || abs(time() - (int) $timestamp) > 300) {
    http_response_code(401);
    exit;
}

http_response_code(204);
$event = json_decode($body, true);
// Retries and replays have the same id: process each id only once.
error_log("$id {$event['type']}");
`;

const ruby = `require "json"
require "openssl"
require "sinatra"

KEY = ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m")

def valid?(id, timestamp, signatures, body)
  digest = OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{[digest].pack("m0")}"
  (Time.now.to_i - timestamp.to_i).abs <= 300 &&
    signatures.split.any? { |entry| Rack::Utils.secure_compare(entry, expected) }
end

post "/webhooks" do
  body = request.body.read
  id, timestamp, signatures =
    %w[ID TIMESTAMP SIGNATURE].map { |name| request.env["HTTP_WEBHOOK_#{name}"].to_s }
  halt 401 unless valid?(id, timestamp, signatures, body)

  event = JSON.parse(body)
  # Retries and replays have the same id: process each id only once.
  puts "#{id} #{event["type"]}"
  204
end
`;

const shell = `# body.json is the raw request body. The other two values are request headers.
WEBHOOK_ID="msg_…"
WEBHOOK_TIMESTAMP="1772622671"

key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
{ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary |
  openssl base64 -A | sed 's/^/v1,/'
`;

/** Each sample verifies the signature and timestamp of a request (Standard Webhooks). */
export const samples: CodeSample[] = [
  {
    language: "Node.js",
    note: "Uses the standardwebhooks package.",
    code: node("standardwebhooks"),
  },
  { language: "Svix", note: "Uses the svix package for Node.js.", code: node("svix") },
  { language: "Python", note: "Uses Flask and the standard library.", code: python },
  { language: "Go", note: "Uses the standard library.", code: go },
  { language: "PHP", note: "Uses no packages.", code: php },
  { language: "Ruby", note: "Uses Sinatra and the standard library.", code: ruby },
  {
    language: "Shell",
    note: "Prints the expected signature, which must equal one of the entries in webhook-signature.",
    code: shell,
  },
];
