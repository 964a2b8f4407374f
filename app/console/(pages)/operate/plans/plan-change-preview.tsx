import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";

import type { PlanPreview } from "./queries.ts";

/** The companies that a change to a plan affects, and those over the new limits. */
export function PlanChangePreview({ preview }: { preview: PlanPreview }) {
  const { companies, over, over_count: overCount } = preview;
  return (
    <div role="status">
      <Text fw={600}>{formatCompanies(companies)} will get the new limits immediately.</Text>
      {overCount > 0 && (
        <>
          <Text mt="xs">
            {formatCompanies(overCount)} {overCount === 1 ? "is" : "are"} over the new limits: they
            keep what they have but can’t create more.
          </Text>
          <Text component="ul" m={0} mt={4} pl="md">
            {over.map(({ id, name, exceeded }) => (
              <li key={id}>
                <Anchor component={Link} href={`/console/operate/companies/${id}`}>
                  {name}
                </Anchor>
                : {exceeded.join(", ")}
              </li>
            ))}
            {overCount > over.length && <li>and {overCount - over.length} more</li>}
          </Text>
        </>
      )}
    </div>
  );
}
