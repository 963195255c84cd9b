/** Parts of the page that are made anew only when what they show is another one. */

/** Returns a function that passes a value to `draw` unless it is the same as before, written as JSON. */
export function ifChanged<T>(draw: (value: T) => void): (value: T) => void {
  let drawn = "";
  return (value) => {
    const text = JSON.stringify(value);
    if (text === drawn) return;
    drawn = text;
    draw(value);
  };
}
