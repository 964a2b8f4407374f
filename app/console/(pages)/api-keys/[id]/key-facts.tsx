import { Anchor } from "@mantine/core";
import Link from "next/link";

import { CompanyAllowList } from "#app/console/(pages)/api-keys/company-allow-list.tsx";
import { creatorName, permissions } from "#app/console/(pages)/api-keys/key-labels.ts";
import type { ApiKeyDetail } from "#app/console/(pages)/api-keys/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment, RelativeMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

export function KeyFacts({ apiKey }: { apiKey: ApiKeyDetail }) {
  const list = apiKey.allowed_addresses;
  return (
    <Panel
      title="Details"
      aside={
        <Anchor component={Link} href={`/console/emails?key=${apiKey.id}`} size="sm">
          View emails
        </Anchor>
      }
    >
      <Facts>
        <Fact name="Token">{apiKey.prefix}_… (shown in full only at creation)</Fact>
        <Fact name="Permission">{permissions[apiKey.permission].word}</Fact>
        {apiKey.permission === "sending_access" && (
          <Fact name="Domain">{apiKey.domain ?? "All domains"}</Fact>
        )}
        <Fact name="Created by">
          <CreatedBy apiKey={apiKey} />
        </Fact>
        <Fact name="Allowed IP addresses">{list.length === 0 ? "All" : list.join(", ")}</Fact>
        <Fact name="Last used">
          {apiKey.last_used_at ? <RelativeMoment at={apiKey.last_used_at} /> : "Never"}
        </Fact>
        <Fact name="Created">
          <ExactMoment at={apiKey.created_at} />
        </Fact>
        {apiKey.revoked_at && (
          <Fact name="Revoked">
            <ExactMoment at={apiKey.revoked_at} />
          </Fact>
        )}
        <Fact name="ID">
          <Mono value={apiKey.id} what="ID" />
        </Fact>
      </Facts>
      {apiKey.revoked_at === null && <CompanyAllowList />}
    </Panel>
  );
}

/** The key's creator, and the privileges that the key currently has through them. */
function CreatedBy({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { creator, rights } = apiKey;
  const canOpen = useRights().has("manage_admins");
  const name = creatorName(apiKey);
  const admin = canOpen ? (
    <Anchor component={Link} href={`/console/team/${creator.id}`} inherit underline="always">
      {name}
    </Anchor>
  ) : (
    name
  );
  if (creator.is_disabled) return <>{admin} (disabled). Requests with this key are rejected.</>;
  return (
    <>
      {admin}. {privilegeSummary(rights)}
    </>
  );
}

function privilegeSummary({ is_owner: isOwner, privileges }: ApiKeyDetail["rights"]): string {
  if (isOwner) return "The key has all privileges of an owner.";
  if (privileges.length === 0) return "The key has no privileges and can only send emails.";
  return `The key's privileges: ${privileges.join(", ")}.`;
}
