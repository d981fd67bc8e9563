#!/usr/bin/env python3
"""Builds the documentation site: assembles its pages, renders them with mkdocs and the theme Material, and checks the result.

    tools/docs.py [--program build/release/bin/trunnion] [--output build/docs] [--no-pictures]

The pages are docs/*.md, README, CONTRIBUTING and CHANGELOG with links adapted to the site, and generated pages: the gallery of the examples with plots
of fresh runs by `trunnion plot` and images of the machines from their reports in headless Chromium (omitted if chromium or node is missing; cached next to
OUTPUT while the results are unchanged), the index of equations (tools/equations.py), and the C++ interface (from include/trunnion/trunnion.h). Fails if a
link is broken, a page is missing in the navigation, or a page would load something from another host. `--no-pictures` skips the runs.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "tools/docs"

# Pages of the site that are files of the project elsewhere or under another name.
RENAMED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "docs/README.md": "contents.md",
    "examples": "gallery.md",
    "examples/": "gallery.md",
}

# Channels in the picture of an example; --unit for each unit of UNITS that fits. An example missing here fails the build.
GALLERY = {
    "lever": "lever.angle *_side.pressure",
    "lever_driven": "command.input lever.angle",
    "four_bar": "crank.angle v*.pressure",
    "four_bar_lift": "beam.angle v*.pressure",
    "four_bar_linear": "crank.angle v*.pressure",
    "quick_return": "crank.angle ram.angle v*.pressure",
    "crane_single": "boom.angle v*.pressure",
    "crane_double": "boom.angle jib.angle lift.force tilt.force",
    "crane_triple": "boom.angle jib.angle stick.angle *.force",
    "slewing_crane": "column.angle boom.angle lift_v*.pressure slew_v1.pressure slew_v3.pressure",
    "forwarder_crane": "pillar.angle inner.angle outer.angle lift.force jib.force telescope.force",
    "excavator": "upper.angle boom.angle arm.angle bucket.angle supply.pressure load.pressure",
    "excavator_autonomous": "boom.angle arm.angle bucket.angle teeth.position_z supply.pressure",
    "excavator_operator": "boom.angle arm.angle bucket.angle teeth.position_z supply.pressure",
    "excavator_quasistatic": "upper.angle boom.angle arm.angle bucket.angle circuit.pressure",
    "excavator_lumped": "upper.angle boom.angle arm.angle bucket.angle line.pressure",
    "articulated_loader": "steer_cylinder_*.length steer_left.pressure steer_right.pressure",
    "arm_quasistatic": "arm.angle lift.force",
    "arm_lumped": "arm.angle lift.force",
    "arm_regeneration": "arm.angle lift.force",
    "two_arms_one_pump": "arm_1.angle arm_2.angle circuit.pressure",
    "spatial_slider_crank": "crank.angle slider.position",
    "ladder": "v1.angle v4.angle v8.angle",
    "bicycle": "fork.angle front.lateral_force rear.lateral_force",
    "rolling_disc": "disc.x disc.y rim.normal_force",
    "position_servo": "target.signal ram.length servo_valve.spool",
    "active_damping": "boom.angle head.pressure",
    "hydrostatic_drive": "flywheel.rate side_A.pressure side_B.pressure",
    "stick_slip": "table.position side_A.pressure",
    "scissor_lift": "left_lift.length right_lift.length platform.angle",
}
UNITS = ["bar", "deg"]

# Time [s] of the machine's picture; default: a third of the run.
MOMENTS = {"excavator": 4.4, "excavator_autonomous": 5, "excavator_operator": 5, "forwarder_crane": 6, "articulated_loader": 2, "excavator_quasistatic": 2, "excavator_lumped": 2}
MACHINE_SIZE = "640x400"  # the picture has twice this size


def fail(text):
    sys.exit(f"documentation: {text}")


def read(path):
    return path.read_text(encoding="utf-8")


WIDE = "---\nhide: [navigation]\n---\n\n"  # a page that is alone in its section needs no navigation list


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- pages

LINK_OR_CODE = re.compile(r"(\[(?:[^\]`]|`[^`]*`)*\]\()([^)\s]+)\)|`[^`]*`")


class Stage:
    """The folder that mkdocs reads."""

    def __init__(self, folder):
        self.folder = folder
        self.sources = {}  # path in the project -> page
        for path in sorted((ROOT / "docs").rglob("*.md")):
            name = path.relative_to(ROOT).as_posix()
            self.sources[name] = path.relative_to(ROOT / "docs").as_posix()
        self.sources.update(RENAMED)
        for path in sorted((ROOT / "examples").rglob("*.yaml")):
            name = path.relative_to(ROOT).as_posix()
            self.sources[name] = name.removesuffix(".yaml") + ".md"

    def link(self, target, source, page):
        """Link on a page of the site for a link in a file of the project."""
        if "://" in target or target.startswith(("mailto:", "#")):
            return target
        name, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(source), name))
        if path in self.sources:
            where = self.sources[path]
        else:
            where = self.copy(path, source, target)
        relative = os.path.relpath(where, os.path.dirname(page) or ".")
        return relative + ("#" + anchor if anchor else "")

    def copy(self, path, source, target):
        """Copies a file that is not a page; of a folder its only file."""
        place = ROOT / path
        if place.is_dir():
            files = [f for f in place.iterdir() if f.is_file()]
            if len(files) != 1:
                fail(f"{source} links to {target}, a folder that is not a page of the site")
            place = files[0]
        if not place.exists():
            fail(f"{source} links to {target}, which does not exist")
        name = "files/" + place.relative_to(ROOT).as_posix()
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, self.folder / name)
        return name

    def add_markdown(self, source, page):
        lines, fenced, before = [], False, ""
        for line in read(ROOT / source).splitlines():
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced and not line.startswith("    "):
                line = self.rewrite(line, source, page)
                item = re.match(r"(?:[-*]|\d+\.) ", line)
                # GitHub's Markdown allows a list or a table directly after a paragraph; mkdocs requires an empty line
                starts = item and before and not re.match(r"\s*(?:[-*]|\d+\.) |  ", before)
                if starts or (line.startswith("|") and before and not before.startswith("|")):
                    lines.append("")
                nested = re.match(r"( {2,3})((?:[-*]|\d+\.) .*)", line)
                if nested:
                    line = "    " + nested.group(2)
            lines.append(line)
            before = line
        alone = page in ("index.md", "quick_start.md", "validation.md")
        write(self.folder / page, (WIDE if alone else "") + "\n".join(lines) + "\n")

    def rewrite(self, line, source, page):
        """Links outside of code in backticks."""
        return LINK_OR_CODE.sub(
            lambda m: m.group(1) + self.link(m.group(2), source, page) + ")" if m.group(1) else m.group(0), line)


# ---------------------------------------------------------------- gallery


def head_comment(text):
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[1:].strip())
    return lines


def run_example(program, name, work, pictures):
    """Runs an example and draws its picture; returns its summary."""
    results, inputs = work / name, ROOT / f"examples/{name}.csv"
    driven = ["--input", str(inputs)] if inputs.is_file() else []
    for command in ([program, "run", f"examples/{name}.yaml", *driven, "-q", "-o", str(results)],
                    [program, "plot", str(results), *GALLERY[name].split(), "-q", "--size", "190x62",
                     "-o", str(pictures / f"{name}.svg")]):
        if command[1] == "plot":
            drawn = units_of(program, results, GALLERY[name].split())
            command += [word for unit in drawn for word in ("--unit", unit)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return json.loads(read(results / "summary.json"))


def units_of(program, results, channels):
    """The UNITS in which one of the channels can be drawn."""
    fitting = []
    for unit in UNITS:
        probe = subprocess.run([program, "plot", str(results), *channels, "-q", "--unit", unit, "-o", str(results / "probe.csv")],
                               cwd=ROOT, capture_output=True, text=True)
        if probe.returncode == 0:
            fitting.append(unit)
    return fitting


def browser_modules(work):
    """Folder with playwright-core, installed from viewer/package-lock.json below `work`; None, with a message: without."""
    chromium = os.environ.get("TRUNNION_CHROMIUM", "/usr/bin/chromium")
    missing = [name for name in ("node", "npm") if shutil.which(name) is None] + ([] if os.access(chromium, os.X_OK) else ["chromium"])
    if missing:
        print(f"the gallery is without pictures of machines: missing {' and '.join(missing)}; "
              "tools/install_dependencies.sh --browser installs it", file=sys.stderr)
        return None
    packages = read(ROOT / "viewer/package-lock.json")
    if not (work / "installed.txt").exists() or read(work / "installed.txt") != packages:
        work.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(ROOT / "viewer" / name, work / name)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--prefix", str(work)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            print(f"the gallery is without pictures of machines: {done.stderr.strip()}", file=sys.stderr)
            return None
        write(work / "installed.txt", packages)
    return work / "node_modules"


def draw_machines(program, runs, summaries, pictures, cache):
    """Draws pictures of the machines one by one; cached ones with the same results, settings and viewer are reused."""
    sources = [*sorted((ROOT / "viewer/src").iterdir()), ROOT / "viewer/picture.mjs", ROOT / "viewer/package-lock.json"]
    viewer = b"".join(path.read_bytes() for path in sources)
    wanted, jobs = {}, []
    for name, summary in summaries.items():
        settings = json.dumps(summary["settings"], sort_keys=True)
        moment = str(MOMENTS.get(name, summary["settings"]["solver"]["duration"] / 3))
        content = hashlib.sha256(viewer + (runs / name / "results.csv").read_bytes() + f"{settings}{moment}{MACHINE_SIZE}".encode())
        wanted[name] = cache / f"{name}-{content.hexdigest()[:16]}.png"
        if not wanted[name].exists():
            jobs.append((name, moment))
    if jobs:
        modules = browser_modules(cache / "packages")
        if modules is None:
            return set()
        arguments = []
        for name, moment in jobs:
            report = runs / name / "report.html"
            subprocess.run([program, "report", str(runs / name), "-q", "-o", str(report)], cwd=ROOT, check=True)
            arguments += [str(report), moment, str(wanted[name])]
        done = subprocess.run(["node", str(ROOT / "viewer/picture.mjs"), "--modules", str(modules), "--size", MACHINE_SIZE, *arguments],
                              capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"viewer/picture.mjs: {done.stdout}{done.stderr}")
    for old in set(cache.glob("*.png")) - set(wanted.values()):
        old.unlink()
    for name, picture in wanted.items():
        shutil.copyfile(picture, pictures / f"{name}.png")
    return set(wanted)


def gallery(stage, program, work, cache):
    examples = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
    for name in sorted(set(examples) ^ set(GALLERY)):
        fail(f"the example {name} is " + ("missing in GALLERY of tools/docs.py" if name in examples else "in GALLERY of tools/docs.py, but does not exist"))
    pictures = stage.folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    summaries, drawn = {}, set()
    if program:
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            summaries = dict(zip(GALLERY, pool.map(lambda name: run_example(program, name, work, pictures), GALLERY)))
        drawn = draw_machines(program, work, summaries, pictures, cache)
    lines = ["# Gallery", "", "The models in `examples/`, each with results of a run and a link to its file.", ""]
    for name in GALLERY:
        text = read(ROOT / f"examples/{name}.yaml")
        title = re.search(r"^title: (.*)$", text, re.M).group(1)
        comment = " ".join(head_comment(text))
        comment = re.split(r"(?<=\.)\s+(?=Source|Status|Every value|Of the mechanism|The circuit)", comment)[0]
        comment = re.sub(r"\s*trunnion run .*$", "", comment)
        lines += [f"## {title}", ""]
        lines += [comment.replace("<", "&lt;"), ""] if comment else []
        lines += [f"    trunnion run examples/{name}.yaml", ""]
        if name in summaries:
            s = summaries[name]
            if name in drawn:
                lines += [f"[![{title}](pictures/{name}.png)](pictures/{name}.png)", ""]
            lines += [f"[![{title}](pictures/{name}.svg)](pictures/{name}.svg)", "",
                      f"{s['steps']} steps, {s['iterations']['mean']:.2f} iterations on average; energy balance error "
                      f"{s['energy']['closed_to_percent']:.1g} % of the energy transferred. ", ""]
        lines += [f"[The model file](examples/{name}.md)", ""]
    write(stage.folder / "gallery.md", WIDE + "\n".join(lines))
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        name = path.relative_to(ROOT).as_posix()
        text = read(path)
        title = re.search(r"^title: (.*)$", text, re.M)
        page = [f"# {title.group(1) if title else path.stem}", "", f"`{name}` ([gallery]({os.path.relpath('gallery.md', os.path.dirname(name))}))", "",
                "```yaml", text.rstrip("\n"), "```", ""]
        write(stage.folder / stage.sources[name], "\n".join(page))


# ---------------------------------------------------------------- C++ interface


NOTEBOOKS = """
import json, sys
for file in sys.argv[1:]:
    names = {}
    for cell in json.load(open(file, encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
"""


def notebook_pictures(stage, program, work):
    """Executes docs/notebooks in `work` and puts their pictures in place of those of docs/images; these stay without matplotlib or the package."""
    package, python = pathlib.Path(program).resolve().parent.parent / "python", "/usr/bin/python3"
    python = python if os.path.exists(python) else sys.executable
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    if subprocess.run([python, "-c", "import matplotlib, trunnion; trunnion.Model"], env=environment, capture_output=True).returncode != 0:
        print("the pictures of docs/images are used: notebooks need matplotlib and the Python package")
        return
    (work / "docs/images").mkdir(parents=True)
    (work / "examples").symlink_to(ROOT / "examples")
    books = sorted(map(str, (ROOT / "docs/notebooks").glob("*.ipynb")))
    done = subprocess.run([python, "-c", NOTEBOOKS, *books], cwd=work, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        fail(done.stderr)
    for picture in sorted((work / "docs/images").glob("*.png")):
        shutil.copyfile(picture, stage.folder / "files/docs/images" / picture.name)


def cpp_interface(stage):
    """A page from the public header: each declaration with its comment."""
    lines = read(ROOT / "include/trunnion/trunnion.h").splitlines()
    head, body = [], []
    for i, line in enumerate(lines):
        if line.startswith("// SPDX"):
            body = lines[i + 1:]
            break
        head.append(line[2:].removeprefix(" ") if line.startswith("//") else line)
    out = ["# C++ interface", ""]
    inside = False
    for line in head:
        code = line.startswith("  ") or (inside and not line)
        if code and not inside:
            out += ["", "```cpp"]
        if not code and inside:
            while not out[-1]:
                out.pop()
            out += ["```", ""]
        inside = code
        out.append(line[2:] if code else line)
    out += ["", "It is `include/trunnion/trunnion.h`; found by `find_package(trunnion)`, linked as `trunnion::trunnion` ([README](index.md#use-as-a-library)).", ""]
    includes = [line for line in body if line.startswith("#include")]
    out += ["```cpp", "#include <trunnion/trunnion.h>", "```", ""] if includes else []

    comment, declaration, depth, owner, private = [], [], 0, "", False

    def emit(level):
        nonlocal comment, declaration
        code = [text for text in declaration]
        while code and not code[-1].strip():
            code.pop()
        if code:
            if level:
                out.extend([f"{'#' * level[0]} `{level[1]}`", ""])
            indent = min(len(text) - len(text.lstrip()) for text in code if text.strip())
            if comment:
                out.extend([" ".join(comment), ""])
            out.extend(["```cpp", *[text[indent:] for text in code], "```", ""])
        comment, declaration = [], []

    for line in body:
        bare = line.strip()
        if bare.startswith(("#", "namespace", "}  // namespace")) or (not bare and not declaration):
            continue
        if bare.startswith("/// ") and not declaration:
            comment.append(bare[4:])
            continue
        kind = re.match(r"(class|struct|enum class) (\w+)[^;]*\{$", bare)
        if depth == 0 and kind:
            owner, private = kind.group(2), kind.group(1) == "class"
            depth = 1
            if kind.group(1) != "class":  # whole
                declaration.append(line)
                continue
            out.extend([f"## `{owner}`", "", " ".join(comment), "", "```cpp", bare.rstrip("{").strip() + ";", "```", ""])
            comment = []
            continue
        if depth == 1 and bare == "};":
            if declaration:
                declaration.append(line)
                if declaration[0].lstrip().startswith(("struct", "enum")):
                    emit((2, owner))
            comment, declaration, depth, private = [], [], 0, False
            continue
        if depth == 1 and declaration and declaration[0].lstrip().startswith(("struct", "enum")):
            declaration.append(line)
            continue
        if bare in ("public:", "private:", "protected:"):
            private = bare == "private:"
            continue
        if private:
            continue
        if not bare:
            emit(None)
            continue
        if bare.startswith("///"):  # the next declaration
            emit(None)
            comment.append(bare[4:])
            continue
        declaration.append(line)
        if depth == 0 and bare.endswith(";"):
            name = re.search(r"(\w+)\(", " ".join(text.strip() for text in declaration))
            emit((2, name.group(1)) if name else None)
    text = "\n".join(out)
    for name in re.findall(r"^(?:class|struct|enum class) (\w+)", "\n".join(body), re.M):
        if f"## `{name}`" not in text and not re.search(rf"^class {name};", "\n".join(body), re.M):
            fail(f"the page of the C++ interface lacks {name}")
    write(stage.folder / "cpp_interface.md", text + "\n")


# ---------------------------------------------------------------- checks of the built site


class PageReader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.ids.add(values["id"])
        if tag == "a" and values.get("name"):
            self.ids.add(values["name"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag in ("script", "img", "iframe", "source", "video", "audio", "embed") and values.get("src"):
            self.loads.append(values["src"])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev", "alternate") and values.get("href"):
            self.loads.append(values["href"])


def check_site(site):
    pages = {}
    for path in sorted(site.rglob("*.html")):
        reader = PageReader()
        reader.feed(read(path))
        pages[path.resolve()] = reader
    findings = []
    for path, reader in pages.items():
        name = path.relative_to(site.resolve())
        for target in reader.links + reader.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme in ("http", "https") or target.startswith("//"):
                if target in reader.loads:
                    findings.append(f"{name} loads {target} from another host")
                continue
            if parts.scheme:
                continue
            place = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path and parts.path != "." else path
            if name.name == "404.html" or parts.path.startswith("/"):
                continue  # written for the root of a server
            if place.is_dir():
                place = place / "index.html"
            if not place.exists():
                findings.append(f"{name} links to {target}, which does not exist")
            elif parts.fragment and place in pages and urllib.parse.unquote(parts.fragment) not in pages[place].ids:
                findings.append(f"{name} links to {target}, which has no such anchor")
    for path in sorted(site.rglob("*.css")):
        for target in re.findall(r"(?:@import\s+|url\()[\"']?((?:https?:)?//[^\"')]+)", read(path)):
            findings.append(f"{path.relative_to(site)} loads {target} from another host")
    return pages, findings


def check_navigation(configuration, stage):
    shown = set(re.findall(r"([\w/]+\.md)", configuration[configuration.index("\nnav:"):]))
    pages = {path.relative_to(stage.folder).as_posix() for path in stage.folder.rglob("*.md")}
    missing = {page for page in pages - shown if not page.startswith("examples/")}
    if missing:
        fail(f"{', '.join(sorted(missing))} is missing in nav of tools/docs/mkdocs.yml")


# ---------------------------------------------------------------- search


def embed_search(site):
    """Embeds index and worker of the search in a script: pages opened from disk cannot fetch them."""
    worker = next((site / "assets/javascripts/workers").glob("search.*.min.js"))
    code = re.sub(r"//# sourceMappingURL=.*", "", read(worker))
    index = read(site / "search/search_index.json")
    write(site / "search/search_index.js",
          "if (location.protocol === 'file:') var __search = {\n"
          f"  index: Promise.resolve({index.strip()}),\n"
          f"  worker: URL.createObjectURL(new Blob([{json.dumps(code)}], {{type: 'text/javascript'}}))\n}};\n"
          "else var __search = undefined;\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--output", type=pathlib.Path, default=ROOT / "build/docs")
    arguments.add_argument("--no-pictures", action="store_true", help="skip the runs of the gallery")
    options = arguments.parse_args()
    program = None if options.no_pictures else str(options.program.resolve())
    if program and not os.access(program, os.X_OK):
        fail(f"{options.program} does not exist; `make docs` builds it")
    mkdocs = shutil.which("mkdocs")
    if mkdocs is None:
        print("mkdocs is not installed; tools/install_dependencies.sh --docs installs it", file=sys.stderr)
        sys.exit(77)  # skipped, for CTest

    output = options.output.resolve()
    if output.exists() and any(output.iterdir()) and not (output / "search/search_index.js").exists():
        fail(f"{output} exists and is not a documentation site; nothing was written")
    work = output.with_name(output.name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    stage = Stage(work / "source")
    for source, page in stage.sources.items():
        if source.endswith(".md"):
            stage.add_markdown(source, page)
    if program is not None:
        notebook_pictures(stage, program, work / "notebooks")
    gallery(stage, program, work / "runs", output.with_name(output.name + ".cache"))
    cpp_interface(stage)
    sys.path.insert(0, str(ROOT / "tools"))
    import equations
    write(stage.folder / "equations.md", equations.page())
    shutil.copyfile(HERE / "extra.css", stage.folder / "extra.css")
    shutil.copytree(HERE / "theme", work / "theme")
    configuration = read(HERE / "mkdocs.yml")
    check_navigation(configuration, stage)
    write(work / "mkdocs.yml", configuration)
    done = subprocess.run([mkdocs, "build", "--quiet", "-f", str(work / "mkdocs.yml")], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr.strip():
        fail(done.stdout + done.stderr)
    embed_search(work / "site")
    pages, findings = check_site(work / "site")
    if findings:
        fail(f"{len(findings)} findings\n" + "\n".join(sorted(set(findings))))

    # the existing site is replaced once the new one is complete
    if output.exists():
        shutil.rmtree(output)
    (work / "site").rename(output)
    shutil.rmtree(work)
    print(f"{output / 'index.html'}: {len(pages)} pages")


if __name__ == "__main__":
    main()
