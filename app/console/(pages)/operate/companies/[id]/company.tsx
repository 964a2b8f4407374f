"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { states } from "#app/console/(pages)/operate/companies/company-words.ts";
import { companyQuery } from "#app/console/(pages)/operate/companies/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { CompanyFacts } from "./company-facts.tsx";
import { CompanySkeleton } from "./company-skeleton.tsx";
import { Limits } from "./limits.tsx";
import { Owners } from "./owners.tsx";
import { Suspension } from "./suspension.tsx";
import { Switches } from "./switches.tsx";

export function Company({ id }: { id: string }) {
  const company = useQuery(companyQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Companies", href: "/console/operate/companies" }]} />
      <QueryView query={company} what="this company" skeleton={<CompanySkeleton />} titleOrder={1}>
        {(company) => (
          <>
            <PageHeader title={company.name} sentence={<Status {...states[company.state]} />} />
            <Stack gap="md">
              <CompanyFacts company={company} />
              <Owners company={company} />
              <Limits key={company.plan?.id ?? "own"} company={company} />
              <Switches company={company} />
              <Suspension company={company} />
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}
