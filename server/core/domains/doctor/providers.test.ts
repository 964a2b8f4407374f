import { expect, test } from "vitest";

import { DNS_PROVIDERS, findProvider, hostField } from "./providers.ts";

test.each([
  ["gina.ns.cloudflare.com", "cloudflare"],
  ["ns-1536.awsdns-00.co.uk", "route53"],
  ["ns07.domaincontrol.com", "godaddy"],
  ["dns1.registrar-servers.com", "namecheap"],
  ["hydrogen.ns.hetzner.com", "hetzner"],
  ["ns1.digitalocean.com", "digitalocean"],
  ["ns1045.ui-dns.de", "ionos"],
  ["dns106.ovh.net", "ovh"],
])("%s belongs to %s", (server, id) => {
  expect(findProvider(["resolver", server])?.id).toBe(id);
});

test("a similar name server belongs to no known provider", () => {
  expect(findProvider(["ns.cloudflare.com.evil.example", "digitalocean.com"])).toBeNull();
});

test("every provider has steps, an https link and words for its fields", () => {
  for (const { url, steps, fields } of DNS_PROVIDERS) {
    expect(new URL(url.replace("{zone}", "example.com")).protocol).toBe("https:");
    expect(steps.length).toBeGreaterThan(0);
    expect(fields.host && fields.value).toBeTruthy();
  }
});

test("the host is relative to the zone, or in full where the form wants it", () => {
  const provider = (id: string) => DNS_PROVIDERS.find((known) => known.id === id)!;
  const host = (id: string, name: string) => hostField(name, "example.com", provider(id));
  expect(host("cloudflare", "_dmarc.example.com")).toBe("_dmarc");
  expect(host("cloudflare", "example.com")).toBe("@");
  expect(host("route53", "example.com")).toBe("");
  expect(host("inwx", "_dmarc.example.com")).toBe("_dmarc.example.com");
});
