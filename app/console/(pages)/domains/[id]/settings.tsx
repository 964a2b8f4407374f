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
import { Tracking } from "./tracking.tsx";

/** How mail from the domain is tracked, what uses it, and its end. */
export function Settings({ domain }: { domain: DomainDetail }) {
  const { isOwner } = useRights();
  const { data: use } = useQuery(domainUseQuery(domain.id));
  return (
    <>
      {domain.is_proven && <Tracking domain={domain} />}
      <Panel title="Details">
        <Facts>
          <Fact name="Added">
            <ExactMoment at={domain.created_at} />
          </Fact>
          {domain.is_proven && (
            <>
              <Fact name="Sends">
                {domain.status === "verified" ? "Yes" : "Not until SPF and DKIM are found"}
              </Fact>
              <Fact name="Receives">
                {domain.receives ? "Yes, in your mailboxes" : "Not until its MX record is found"}
              </Fact>
              <Fact name="Mailboxes">
                {use ? use.mailboxes : <Skeleton height={20} width={24} />}
              </Fact>
              <Fact name="API keys">
                {use ? keysOf(use) : <Skeleton height={20} width={140} />}
              </Fact>
            </>
          )}
          <Fact name="Id">
            <Mono value={domain.id} what="id" />
          </Fact>
        </Facts>
      </Panel>
      {isOwner && (use ? <DeleteDomain domain={domain} use={use} /> : <Skeleton height={88} />)}
    </>
  );
}

const keysOf = ({ api_keys: count }: DomainUse) =>
  count === 0 ? "None is restricted to it" : `${count} restricted to it`;
