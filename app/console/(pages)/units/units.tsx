"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { useRead } from "#app/console/endpoint-queries.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import { CreateUnit, UnitDetails } from "./detail.tsx";
import { UNIT_SETTINGS, type UnitList } from "./policies.ts";
import { UnitTree } from "./unit-tree.tsx";
import classes from "./units.module.css";

/** Shorter trees need no search. */
const SEARCH_FROM = 12;

export function Units() {
  const units = useRead("units.list", {}, UNIT_SETTINGS);
  const asked = Number(useSearchParams().get("unit") ?? 0);
  const top = units.data?.data[0];
  const chosen = units.data?.data.some(({ id }) => id === asked) ? asked : (top?.id ?? 0);
  return (
    <>
      <PageHeader
        title="Units"
        description="Departments or offices. Units inherit policies from their parent unit."
        help="units"
        action={
          units.data?.mayChange &&
          top && (
            <CreateUnit
              units={units.data.data}
              parentId={chosen}
              onCreated={(id) => replaceSearch(`?unit=${id}`)}
            />
          )
        }
      />
      <QueryView query={units} noun="units" skeleton={<UnitsColumnsSkeleton />}>
        {(units) =>
          units.data.length === 0 ? (
            <NoUnits />
          ) : (
            <TreeAndUnit units={units} chosen={chosen} asked={asked} />
          )
        }
      </QueryView>
    </>
  );
}

function TreeAndUnit({ units, chosen, asked }: { units: UnitList; chosen: number; asked: number }) {
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
              aria-label="Search units"
              placeholder="Search units"
              leftSection={<IconSearch size={14} />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          <div className={classes.scroll}>
            <UnitTree
              units={units.data}
              chosen={chosen}
              search={search.trim()}
              onChoose={(id) => replaceSearch(`?unit=${id}`)}
            />
            {!isFound && (
              <Text c="dimmed" role="status">
                No matching units.
              </Text>
            )}
          </div>
        </Panel>
      </div>
      <Stack gap="md" className={classes.unit}>
        {isGone && (
          <Text role="status" c="dimmed">
            The unit in the URL doesn’t exist, or you don’t have access to it.
          </Text>
        )}
        <UnitDetails key={chosen} id={chosen} units={units} />
      </Stack>
    </div>
  );
}

const NoUnits = () => <Text py="lg">You don’t have access to any units.</Text>;

const UnitsColumnsSkeleton = () => (
  <div className={classes.both}>
    <PanelSkeleton count={4} />
    <PanelSkeleton count={10} />
  </div>
);
