import { aGroup } from "#server/testing/factories.ts";

import { companyDomain } from "./seed-mailboxes.ts";

/** Groups of every kind: public, company-only, moderated, inactive, empty, and large. */
export async function manyGroups(companyId: string) {
  const domain = await companyDomain(companyId);
  const at = (localPart: string) => `${localPart}@${domain.name}`;
  const people = (count: number) => Array.from({ length: count }, (_, i) => at(`person${i}`));
  const support = await aGroup(domain, {
    address: at("support"),
    name: "Support",
    replies: "group",
    members: [at("ann.lee"), at("ben.okafor"), "carla@agency.example"],
  });
  const listed = await aGroup(domain, {
    address: at("partners"),
    name: "Partners and press",
    posting: "listed",
    moderation: "strangers",
    posters: ["@partner.example", "lou@press.example"],
    members: people(12),
  });
  const all = await aGroup(domain, {
    address: at("everybody"),
    name: "Everybody at Northwind",
    posting: "company",
    moderation: "all",
    members: people(200),
  });
  await aGroup(domain, { address: at("board"), name: "", posting: "members", members: people(3) });
  await aGroup(domain, {
    address: at("applications-autumn-2025-internships-and-trainees"),
    active: false,
    name: "Applications for internships in the autumn of 2025",
    members: people(1),
  });
  const old = await aGroup(domain, { address: at("old"), name: "Old list" });
  return {
    support: support.address,
    listed: listed.address,
    all: all.address,
    old: old.address,
  };
}
