import type { Page } from "@playwright/test";

/** What the endpoints of the automatic setup answer, without a DNS provider. The token `wrong` is rejected. */
export async function answerDnsSetup(page: Page, domain: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  await page.route("**/dns/*DnsSetup?*", async (route) => {
    const body = route.request().postDataJSON() as { token: string };
    bodies.push(body);
    if (body.token === "wrong") return route.fulfill({ status: 422, json: REJECTED });
    const isPreview = route.request().url().includes("/previewDnsSetup?");
    return route.fulfill({
      json: isPreview ? setUpPlan(domain) : { results: setUpResults(domain) },
    });
  });
  return bodies;
}

const MESSAGE =
  "Cloudflare rejected the token. Check that it’s complete and may edit DNS records of the domain.";
const REJECTED = {
  statusCode: 422,
  name: "validation_error",
  message: `token: ${MESSAGE}`,
  fields: [{ path: "token", code: "invalid", message: MESSAGE }],
};

const setUpPlan = (domain: string) => ({
  zone: domain.replace(/^[^.]+\./, ""),
  digest: "d1",
  changes: [
    aChange("ownership", `_svc-verify.${domain}`, { after: "svc-verify=b7f3k2m9q4x8d1n6" }),
    aChange("spf", domain, {
      action: "replace",
      before: ["v=spf1 include:_spf.google.com ~all"],
      after: "v=spf1 include:_spf.google.com a:posthouse.localhost ~all",
    }),
    aChange("dkim", `ph1-0a1b2c3d._domainkey.${domain}`, { action: "keep" }),
    aChange("dmarc", `_dmarc.${domain}`, {
      action: "blocked",
      before: ["CNAME dmarc.vendor.example"],
      after: "v=DMARC1; p=none; rua=mailto:reports@posthouse.localhost",
    }),
    aChange("mx", domain, {
      type: "MX",
      action: "replace",
      needsConfirmation: true,
      priority: 10,
      before: ["MX 1 aspmx.l.google.com"],
      after: "posthouse.localhost",
    }),
  ],
});

const aChange = (kind: string, name: string, change: object) => ({
  key: kind,
  kind,
  type: "TXT",
  name,
  action: "create",
  before: [],
  after: "",
  priority: null,
  needsConfirmation: false,
  ...change,
});

export const setUpResults = (domain: string) => [
  aResult("ownership", `_svc-verify.${domain}`),
  { ...aResult("spf", domain), outcome: "failed", error: "Cloudflare rejected the request" },
  { ...aResult("dmarc", `_dmarc.${domain}`), outcome: "skipped" },
  { ...aResult("mx", domain), type: "MX" },
];

const aResult = (key: string, name: string) => ({
  key,
  name,
  type: "TXT",
  outcome: "published",
  error: null as string | null,
});
