/** Calls at once, then at most every `interval` ms with the last argument; `flush` does not wait. */
export interface Throttled<T> {
  call(value: T): void;
  flush(): void;
  cancel(): void;
}

export function throttle<T>(interval: number, run: (value: T) => void): Throttled<T> {
  let waiting: { value: T } | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const tick = () => {
    timer = null;
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    timer = setTimeout(tick, interval);
    run(value);
  };
  const cancel = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    waiting = null;
  };
  return {
    call(value) {
      waiting = { value };
      if (timer === null) tick();
    },
    flush() {
      const last = waiting;
      cancel();
      if (last !== null) run(last.value);
    },
    cancel,
  };
}
