import { Anchor } from "@mantine/core";
import Link from "next/link";

import { CompanyAddresses } from "#app/console/(pages)/api-keys/company-addresses.tsx";
import { creatorOf, permissions } from "#app/console/(pages)/api-keys/key-words.ts";
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
          Emails sent with it
        </Anchor>
      }
    >
      <Facts>
        <Fact name="Token">{apiKey.prefix}_… (the rest was shown once)</Fact>
        <Fact name="Permission">{permissions[apiKey.permission].word}</Fact>
        {apiKey.permission === "sending_access" && (
          <Fact name="Domain">{apiKey.domain ?? "All domains"}</Fact>
        )}
        <Fact name="Acts for">
          <ActsFor apiKey={apiKey} />
        </Fact>
        <Fact name="Allowed from">{list.length === 0 ? "Anywhere" : list.join(", ")}</Fact>
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
        <Fact name="Id">
          <Mono value={apiKey.id} what="id" />
        </Fact>
      </Facts>
      {apiKey.revoked_at === null && <CompanyAddresses />}
    </Panel>
  );
}

/** Whose rights it has at this moment, and which these are. */
function ActsFor({ apiKey }: { apiKey: ApiKeyDetail }) {
  const { creator, rights } = apiKey;
  const mayOpen = useRights().has("manage_admins");
  const name = creatorOf(apiKey);
  const person = mayOpen ? (
    <Anchor component={Link} href={`/console/team/${creator.id}`} inherit underline="always">
      {name}
    </Anchor>
  ) : (
    name
  );
  if (creator.is_disabled)
    return <>{person}, who has no access any more: calls with this key are refused</>;
  return (
    <>
      {person}, {rightsInWords(rights)}
    </>
  );
}

function rightsInWords({ is_owner: isOwner, privileges }: ApiKeyDetail["rights"]): string {
  if (isOwner) return "an owner, who may do everything";
  if (privileges.length === 0) return "who has no privileges: the key can send and no more";
  return `who holds ${privileges.join(", ")}`;
}
