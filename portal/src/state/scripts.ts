// The scripts of the build that are loaded when they are needed, by their names.

/** All stand beside this one, in a folder that the build names by what is in it. */
export const scriptAddress = (file: string): string => new URL(file, import.meta.url).href

/** Loads a script; a browser loads each of them once. */
export const loadScript = async <M>(name: string): Promise<M> =>
  (await import(scriptAddress(`${name}.js`))) as M
