/** Stores of pretended kernels, which end with the test that made them. */
import type { AnyModel } from "@anywidget/types";
import { afterEach } from "vitest";
import type { FakeModel } from "../dev/recorded.ts";
import { Store } from "../src/state/store.ts";
import { ModelClient } from "../src/wire/client.ts";
import type { Traits } from "../src/wire/protocol.ts";

const opened: Store[] = [];

export function storeOf(model: FakeModel): Store {
  const store = new Store(model as unknown as AnyModel<Traits>, new ModelClient(model as unknown as AnyModel));
  opened.push(store);
  return store;
}

/** Ends the stores of one of several cases of a test. */
export function closeStores(): void {
  for (const store of opened.splice(0)) {
    store.dispose();
    store.client.dispose();
  }
}

afterEach(closeStores);
