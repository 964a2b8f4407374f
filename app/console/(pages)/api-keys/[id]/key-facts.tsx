import { Anchor } from "@mantine/core";
import Link from "next/link";

import { CompanyAllowList } from "#app/console/(pages)/api-keys/company-allow-list.tsx";
import { creatorName, permissions } from "#app/console/(pages)/api-keys/key-labels.ts";
import type { ApiKeyDetail } from "#app/console/(pages)/api-keys/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function KeyFacts({ apiKey }: { apiKey: ApiKeyDetail }) {
  const list = apiKey.allowedAddresses;
  return (
    <Panel
      title="Details"
      aside={
        <Anchor component={Link} href={`/console/emails?key=${apiKey.id}`} size="sm">
          View emails
        </Anchor>
      }
    >
      <DescriptionList>
        <DescriptionItem label="Token">
          {apiKey.prefix}_… (shown in full only at creation)
        </DescriptionItem>
        <DescriptionItem label="Permission">{permissions[apiKey.permission].label}</DescriptionItem>
        {apiKey.permission === "sending_access" && (
          <DescriptionItem label="Domain">{apiKey.domain ?? "All domains"}</DescriptionItem>
        )}
        <DescriptionItem label="Created by">
          <CreatedBy apiKey={apiKey} />
        </DescriptionItem>
        <DescriptionItem label="Allowed IP addresses">
          {list.length === 0 ? "All" : list.join(", ")}
        </DescriptionItem>
        <DescriptionItem label="Last used">
          {apiKey.lastUsedAt ? <RelativeTime at={apiKey.lastUsedAt} /> : "Never"}
        </DescriptionItem>
        <DescriptionItem label="Created">
          <ExactTime at={apiKey.createdAt} />
        </DescriptionItem>
        {apiKey.revokedAt && (
          <DescriptionItem label="Revoked">
            <ExactTime at={apiKey.revokedAt} />
          </DescriptionItem>
        )}
        <DescriptionItem label="ID">
          <CopyableValue value={apiKey.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
      {apiKey.revokedAt === null && <CompanyAllowList />}
    </Panel>
  );
}

/** The key's creator, and the privileges that the key currently has through them. */
function CreatedBy({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { creator, effectivePrivileges: privileges } = apiKey;
  const canOpen = usePrivileges().has("manage_admins");
  const name = creatorName(apiKey);
  const admin = canOpen ? (
    <Anchor component={Link} href={`/console/team/${creator.id}`} inherit underline="always">
      {name}
    </Anchor>
  ) : (
    name
  );
  if (creator.isDisabled) return <>{admin} (disabled). Requests with this key are rejected.</>;
  return (
    <>
      {admin}. {privilegeSummary(privileges)}
    </>
  );
}

function privilegeSummary({ isOwner, privileges }: ApiKeyDetail["effectivePrivileges"]): string {
  if (isOwner) return "The key has all privileges of an owner.";
  if (privileges.length === 0) return "The key has no privileges and can only send emails.";
  return `The key’s privileges: ${privileges.join(", ")}.`;
}
