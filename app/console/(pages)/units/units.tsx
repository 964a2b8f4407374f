"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";
import { SkeletonLines } from "#app/console/ui/skeleton-lines.tsx";

import { CreateUnit } from "./create-unit.tsx";
import { type Units as UnitsData, unitsQuery } from "./queries.ts";
import { Tree } from "./tree.tsx";
import { Unit } from "./unit.tsx";
import classes from "./units.module.css";

const HEAD = {
  title: "Units",
  sentence: "Departments or offices. What is set for a unit holds for the units below it too.",
  help: "units",
} as const;

/** So many units are found by looking. */
const SEARCH_FROM = 12;

export function Units() {
  const units = useQuery(unitsQuery);
  const asked = Number(useSearchParams().get("unit") ?? 0);
  const top = units.data?.data[0];
  const chosen = units.data?.data.some(({ id }) => id === asked) ? asked : (top?.id ?? 0);
  return (
    <>
      <PageHeader
        {...HEAD}
        action={
          units.data?.may_change &&
          top && (
            <CreateUnit
              units={units.data.data}
              parentId={chosen}
              onCreated={(id) => showSearch(`?unit=${id}`)}
            />
          )
        }
      />
      <QueryView query={units} what="the units" skeleton={<Columns />}>
        {(units) =>
          units.data.length === 0 ? <None /> : <Both units={units} chosen={chosen} asked={asked} />
        }
      </QueryView>
    </>
  );
}

function Both({ units, chosen, asked }: { units: UnitsData; chosen: number; asked: number }) {
  const [search, setSearch] = useState("");
  const isGone = asked !== 0 && asked !== chosen;
  const isFound = units.data.some(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <div className={classes.both}>
      <div className={classes.tree}>
        <Panel>
          {units.data.length >= SEARCH_FROM && (
            <TextInput
              size="sm"
              mb="sm"
              type="search"
              aria-label="Find a unit"
              placeholder="Find a unit"
              leftSection={<IconSearch size={14} />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          <div className={classes.scroll}>
            <Tree
              units={units.data}
              chosen={chosen}
              search={search.trim()}
              onChoose={(id) => showSearch(`?unit=${id}`)}
            />
            {!isFound && (
              <Text c="dimmed" role="status">
                No unit is called that.
              </Text>
            )}
          </div>
        </Panel>
      </div>
      <Stack gap="md" className={classes.unit}>
        {isGone && (
          <Text role="status" c="dimmed">
            The unit that the address names does not exist any more, or you may not see it.
          </Text>
        )}
        <Unit key={chosen} id={chosen} units={units} />
      </Stack>
    </div>
  );
}

function None() {
  return <Text py="lg">There is no unit that you may look into.</Text>;
}

function Columns() {
  return (
    <div className={classes.both}>
      <Panel>
        <SkeletonLines count={4} />
      </Panel>
      <Panel>
        <SkeletonLines count={10} />
      </Panel>
    </div>
  );
}

/** Until the address is known: which unit is open stands in it. */
export function UnitsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <Columns />
    </>
  );
}
