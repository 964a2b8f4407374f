import type { Example } from "#server/http/code-samples.ts";

const DOMAIN = "0198c0de-7d4e-7f61-8c85-90413ead5f44";
const TOKEN = "svc-verify=4f1d0c9a7be24e5f8a6317d2c05b98e3";
const PUBLIC_KEY = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr5pXzQ8vKd2m";

const listed = {
  object: "domain",
  id: DOMAIN,
  name: "shop.example",
  status: "verified",
  created_at: "2026-03-02 09:12:07.081512+00",
  region: "eu-central",
  capabilities: { sending: "enabled", receiving: "enabled" },
};

const record = (record: string, name: string, value: string, more: object = {}) => ({
  ...{ record, name, type: "TXT", ttl: "Auto", status: "verified", value },
  ...more,
});

const tracking = { open_tracking: false, click_tracking: true };

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

const named = { object: "domain", id: DOMAIN };

export const domainExamples: Record<string, Example> = {
  "GET /domains": { answer: list(listed), sdk: ["domains.list"] },
  "POST /domains": {
    body: { name: "shop.example" },
    answer: {
      ...listed,
      status: "not_started",
      capabilities: { sending: "disabled", receiving: "disabled" },
      ...{ open_tracking: false, click_tracking: false },
      records: [record("Ownership", "_svc-verify.shop.example", TOKEN, { status: "pending" })],
    },
    sdk: ["domains.create", { name: "shop.example" }],
  },
  "GET /domains/{id}": {
    params: { id: DOMAIN },
    answer: {
      ...listed,
      ...tracking,
      records: [
        record("SPF", "shop.example", "v=spf1 a:mail.example.com include:crm.example.net ~all"),
        record("DKIM", "ph1-9c04d71e._domainkey.shop.example", `v=DKIM1; k=rsa; p=${PUBLIC_KEY}`),
        record(
          "DMARC",
          "_dmarc.shop.example",
          "v=DMARC1; p=none; rua=mailto:reports@mail.example.com",
        ),
        record("MX", "shop.example", "mail.example.com", { type: "MX", priority: 10 }),
      ],
    },
    sdk: ["domains.get", DOMAIN],
  },
  "PATCH /domains/{id}": {
    params: { id: DOMAIN },
    body: { click_tracking: true },
    answer: named,
    sdk: ["domains.update", { id: DOMAIN, clickTracking: true }],
  },
  "DELETE /domains/{id}": {
    params: { id: DOMAIN },
    answer: { ...named, deleted: true },
    sdk: ["domains.remove", DOMAIN],
  },
  "POST /domains/{id}/verify": {
    params: { id: DOMAIN },
    answer: named,
    sdk: ["domains.verify", DOMAIN],
  },
};
