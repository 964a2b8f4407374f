"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DomainDetail,
  type DomainUse,
  domainUseQuery,
} from "#app/console/(pages)/domains/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { useRights } from "#app/console/rights.ts";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { DeleteDomain } from "./delete-domain.tsx";
import { DomainTracking } from "./domain-tracking.tsx";

export function DomainSettings({ domain }: { domain: DomainDetail }) {
  const { isOwner } = useRights();
  const { data: use } = useQuery(domainUseQuery(domain.id));
  return (
    <>
      {domain.is_ownership_verified && <DomainTracking domain={domain} />}
      <Panel title="Details">
        <Facts>
          <Fact name="Created">
            <ExactMoment at={domain.created_at} />
          </Fact>
          {domain.is_ownership_verified && (
            <>
              <Fact name="Sending">
                {domain.status === "verified"
                  ? "Enabled"
                  : "Disabled until SPF and DKIM are verified"}
              </Fact>
              <Fact name="Receiving">
                {domain.receives ? "Enabled" : "Disabled until the MX record is verified"}
              </Fact>
              <Fact name="Mailboxes">
                {use ? use.mailboxes : <Skeleton height={20} width={24} />}
              </Fact>
              <Fact name="API keys">
                {use ? apiKeyCount(use) : <Skeleton height={20} width={140} />}
              </Fact>
            </>
          )}
          <Fact name="ID">
            <Mono value={domain.id} what="ID" />
          </Fact>
        </Facts>
      </Panel>
      {isOwner && (use ? <DeleteDomain domain={domain} use={use} /> : <Skeleton height={88} />)}
    </>
  );
}

const apiKeyCount = ({ api_keys: count }: DomainUse) =>
  count === 0 ? "None restricted to this domain" : `${count} restricted to this domain`;
