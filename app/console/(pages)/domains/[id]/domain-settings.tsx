"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  type DomainDetail,
  type DomainUse,
  domainUseQuery,
} from "#app/console/(pages)/domains/queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { usePrivileges } from "#app/console/privileges.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { DeleteDomain } from "./delete-domain.tsx";
import { DkimKeys } from "./dkim-keys.tsx";
import { DomainTracking } from "./domain-tracking.tsx";

export function DomainSettings({ domain }: { domain: DomainDetail }) {
  const { isOwner } = usePrivileges();
  const { data: use } = useQuery(domainUseQuery(domain.id));
  return (
    <>
      {domain.isOwnershipVerified && (
        <>
          <DomainTracking domain={domain} />
          <DkimKeys domain={domain} />
        </>
      )}
      <Panel title="Details">
        <DescriptionList>
          <DescriptionItem label="Created">
            <ExactTime at={domain.createdAt} />
          </DescriptionItem>
          {domain.isOwnershipVerified && (
            <>
              <DescriptionItem label="Sending">
                {domain.status === "verified"
                  ? "Enabled"
                  : "Disabled until SPF and DKIM are verified"}
              </DescriptionItem>
              <DescriptionItem label="Receiving">
                {domain.receives ? "Enabled" : "Disabled until the MX record is verified"}
              </DescriptionItem>
              <DescriptionItem label="Mailboxes">
                {use ? use.mailboxes : <Skeleton height={20} width={24} />}
              </DescriptionItem>
              <DescriptionItem label="API keys">
                {use ? apiKeyCount(use) : <Skeleton height={20} width={140} />}
              </DescriptionItem>
            </>
          )}
          <DescriptionItem label="ID">
            <CopyableValue value={domain.id} label="ID" />
          </DescriptionItem>
        </DescriptionList>
      </Panel>
      {isOwner && (use ? <DeleteDomain domain={domain} use={use} /> : <Skeleton height={88} />)}
    </>
  );
}

const apiKeyCount = ({ apiKeys: count }: DomainUse) =>
  count === 0 ? "None restricted to this domain" : `${count} restricted to this domain`;
