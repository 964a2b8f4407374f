import { Anchor, Text } from "@mantine/core";
import Link from "next/link";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";

import type { PlanPreview } from "./queries.ts";

/** Whom a change of a plan reaches, and who uses more than it will allow. */
export function PlanChangePreview({ preview }: { preview: PlanPreview }) {
  const { companies, over, over_count: overCount } = preview;
  return (
    <div role="status">
      <Text fw={600}>
        {formatCompanies(companies)} {companies === 1 ? "gets" : "get"} the new figures at once.
      </Text>
      {overCount > 0 && (
        <>
          <Text mt="xs">
            {formatCompanies(overCount)} {overCount === 1 ? "uses" : "use"} more than that: nothing
            is taken away, and nothing can be added.
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
