import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";

/** Shows the company's allow-list, which restricts all of its API keys, if there is one. */
export function CompanyAllowList() {
  const choices = useRead("apiKeys.getChoices", {});
  const canChange = usePrivileges().has("manage_settings");
  const list = choices.data?.companyAddresses ?? [];
  if (list.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="md">
      Your company’s API keys only work from {summarize(list)}.{" "}
      {canChange && (
        <Anchor component={Link} href="/console/settings?tab=access" inherit underline="always">
          Change in settings
        </Anchor>
      )}
    </Text>
  );
}

const SHOWN = 3;

const summarize = (list: string[]) =>
  list.length <= SHOWN + 1
    ? list.join(", ")
    : `${list.slice(0, SHOWN).join(", ")} and ${list.length - SHOWN} more`;
