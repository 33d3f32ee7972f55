//! Reads source files: which paths they name, resolved by their `use` lines, and which words and strings.
//!
//! It is no compiler: a name that a glob brings in, or that a macro puts together, it does not see.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A source file.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// From the top of the repository: `referee/table/collect.rs`.
    pub(crate) file: String,
    pub(crate) text: String,
}

/// A path that a file names, such as `crate::table::Answer`, and the line on which it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: String,
    pub(super) line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Literal(String),
    /// `::`
    Joint,
    Sign(char),
}

/// A text that was taken apart, and its parts.
type Known = (String, Arc<Parts>);

/// A source file, taken apart.
#[derive(Debug)]
struct Parts {
    tokens: Vec<(Token, usize)>,
    paths: Vec<Named>,
}

impl Source {
    /// All Rust files below a folder of the repository.
    pub(crate) fn all_below(folder: &str) -> Vec<Source> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sources = Vec::new();
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let file = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                    sources.push(Source { file, text: fs::read_to_string(&path).unwrap() });
                }
            }
        }
        sources.sort_by(|one, other| one.file.cmp(&other.file));
        sources
    }

    /// The file's module in the library or program, `crate::table::collect`.
    pub(super) fn module(&self) -> String {
        let path = self.file.split_once('/').expect("a folder").1.trim_end_matches(".rs");
        let path = path.trim_end_matches("/mod").replace('/', "::");
        let path = path.trim_end_matches("::lib");
        if path == "lib" || path == "main" { "crate".to_owned() } else { format!("crate::{path}") }
    }

    /// What the file says outside its tests and comments. Each text is taken apart once: checks look at it many times.
    fn parts(&self) -> Arc<Parts> {
        static KNOWN: Mutex<BTreeMap<String, Vec<Known>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let of_file = known.entry(self.file.clone()).or_default();
        if let Some((_, parts)) = of_file.iter().find(|(text, _)| *text == self.text) {
            return Arc::clone(parts);
        }
        let tokens = without_tests(tokens(&self.text));
        let parts = Arc::new(Parts { paths: self.paths_in(&tokens), tokens });
        of_file.push((self.text.clone(), Arc::clone(&parts)));
        parts
    }

    /// The paths that the file names outside its tests and comments, each in full.
    pub(super) fn paths(&self) -> Vec<Named> {
        self.parts().paths.clone()
    }

    fn paths_in(&self, tokens: &[(Token, usize)]) -> Vec<Named> {
        let module = self.module();
        let mut named = Vec::new();
        let mut aliases = BTreeMap::new();
        let mut at = 0;
        while at < tokens.len() {
            let declares = matches!(&tokens[at].0, Token::Word(word) if word == "mod");
            if let (true, Some((Token::Word(child), _))) = (declares, tokens.get(at + 1)) {
                aliases.insert(child.clone(), format!("{module}::{child}"));
                at += 2;
            } else if matches!(&tokens[at].0, Token::Word(word) if word == "use") {
                at += 1;
                let mut leaves = Vec::new();
                use_tree(tokens, &mut at, "", &mut leaves);
                for (path, alias, line) in leaves {
                    let path = resolve(&path, &module, &BTreeMap::new());
                    aliases.insert(alias, path.clone());
                    named.push(Named { path, line });
                }
            } else if let Token::Word(first) = &tokens[at].0 {
                let (mut path, line) = (first.clone(), tokens[at].1);
                at += 1;
                while let (Some((Token::Joint, _)), Some((Token::Word(next), _))) =
                    (tokens.get(at), tokens.get(at + 1))
                {
                    path += "::";
                    path += next;
                    at += 2;
                }
                if path.contains("::") {
                    named.push(Named { path, line });
                }
            } else {
                at += 1;
            }
        }
        // Only now are all aliases known: a `use` may stand at the end.
        for named in &mut named {
            named.path = resolve(&named.path, &module, &aliases);
            if self.file.starts_with("referee/") {
                named.path = in_one_tree(&named.path, &module);
            }
        }
        named
    }

    /// The words of the code outside tests and comments; a macro's has its `!`.
    pub(super) fn words(&self) -> Vec<(String, usize)> {
        let parts = self.parts();
        let words = parts.tokens.iter().enumerate().filter_map(|(index, (token, line))| match token {
            Token::Word(word) => {
                let is_macro = parts.tokens.get(index + 1).is_some_and(|(next, _)| *next == Token::Sign('!'));
                Some((if is_macro { format!("{word}!") } else { word.clone() }, *line))
            }
            _ => None,
        });
        words.collect()
    }

    /// The strings of the code outside tests and comments.
    pub(crate) fn strings(&self) -> Vec<(String, usize)> {
        let parts = self.parts();
        let strings = parts.tokens.iter().filter_map(|(token, line)| match token {
            Token::Literal(text) => Some((text.clone(), *line)),
            _ => None,
        });
        strings.collect()
    }
}

/// The crates below `referee/` as what they are called here, each a module of one tree; and what the library calls by a shorter
/// name, where it is.
const CRATES: [(&str, &str); 10] = [
    ("referee_proof", "crate::proof"),
    ("referee_rules", "crate::rules"),
    ("referee_sandbox", "crate::sandbox"),
    ("referee_wasm", "crate::wasm"),
    ("crate::wire", "crate::rules::wire"),
    ("crate::game", "crate::rules::game"),
    ("crate::kit", "crate::rules::kit"),
    ("crate::catalog", "crate::rules::catalog"),
    ("crate::table::sandbox", "crate::sandbox"),
    ("crate::table::program", "crate::sandbox::program"),
];

/// Says where in the one tree a path leads that a module names.
fn in_one_tree(path: &str, module: &str) -> String {
    let own =
        ["crate::proof", "crate::python", "crate::rules", "crate::sandbox", "crate::serve", "crate::wasm"]
            .into_iter()
            .find(|own| super::is_in(module, own));
    if let (Some(own), Some(rest)) = (own, path.strip_prefix("crate"))
        && !super::is_in(path, own)
    {
        return format!("{own}{rest}");
    }
    // The server names the library as any other program does.
    let path = &match path.strip_prefix("referee::").filter(|_| own == Some("crate::serve")) {
        Some(rest) => format!("crate::{rest}"),
        None => path.to_owned(),
    };
    let found = CRATES.iter().find(|(name, _)| super::is_in(path, name));
    found.map_or_else(|| path.to_owned(), |(name, place)| path.replacen(name, place, 1))
}

/// Makes a path begin with a crate.
fn resolve(path: &str, module: &str, aliases: &BTreeMap<String, String>) -> String {
    let (first, rest) = path.split_once("::").map_or((path, ""), |(first, rest)| (first, rest));
    let joined = |start: &str| if rest.is_empty() { start.to_owned() } else { format!("{start}::{rest}") };
    match first {
        "self" => joined(module),
        "super" => {
            let parent = module.rsplit_once("::").map_or(module, |(parent, _)| parent);
            if rest.split("::").next() == Some("super") {
                resolve(rest, parent, aliases)
            } else {
                joined(parent)
            }
        }
        _ => aliases.get(first).map_or_else(|| path.to_owned(), |start| joined(start)),
    }
}

/// Reads what stands behind `use` or inside its braces: paths, each with the name that it gets here.
fn use_tree(
    tokens: &[(Token, usize)],
    at: &mut usize,
    prefix: &str,
    leaves: &mut Vec<(String, String, usize)>,
) {
    let mut path = prefix.to_owned();
    let mut alias = String::new();
    let mut is_group = false;
    while let Some((token, line)) = tokens.get(*at) {
        match token {
            Token::Word(word) if word == "as" => {
                if let Some((Token::Word(name), _)) = tokens.get(*at + 1) {
                    alias.clone_from(name);
                }
                *at += 1;
            }
            Token::Word(word) if word == "self" && !path.is_empty() => {
                alias = path.rsplit("::").next().unwrap_or_default().to_owned();
            }
            Token::Word(word) => {
                path = if path.is_empty() { word.clone() } else { format!("{path}::{word}") };
                alias.clone_from(word);
            }
            Token::Joint => {}
            Token::Sign('*') => path += "::*",
            Token::Sign('{') => {
                is_group = true;
                *at += 1;
                while !matches!(tokens.get(*at), None | Some((Token::Sign('}'), _))) {
                    use_tree(tokens, at, &path, leaves);
                    if matches!(tokens.get(*at), Some((Token::Sign(','), _))) {
                        *at += 1;
                    }
                }
            }
            _ => {
                if !is_group {
                    leaves.push((path, alias, *line));
                }
                return;
            }
        }
        *at += 1;
    }
}

/// Leaves out `#[cfg(test)] mod tests { ... }`.
fn without_tests(tokens: Vec<(Token, usize)>) -> Vec<(Token, usize)> {
    let word = |text: &str| Token::Word(text.to_owned());
    let start = [Token::Sign('('), word("test"), Token::Sign(')'), Token::Sign(']'), word("mod")];
    let mut kept = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        kept.push(token);
        if kept.len() >= start.len()
            && kept[kept.len() - start.len()..].iter().map(|(token, _)| token).eq(&start)
        {
            kept.pop();
            let mut depth = 0;
            for (token, _) in rest.by_ref() {
                match token {
                    Token::Sign('{') => depth += 1,
                    Token::Sign('}') if depth == 1 => break,
                    Token::Sign('}') => depth -= 1,
                    _ => {}
                }
            }
        }
    }
    kept
}

/// Takes a text apart. Comments are left out.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (length, token) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), None)
        } else if let Some((length, text)) = string(rest) {
            (length, Some(Token::Literal(text)))
        } else if first == '\'' {
            (character(rest), None)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (end, Some(Token::Word(rest[..end].to_owned())))
        } else if rest.starts_with("::") {
            (2, Some(Token::Joint))
        } else if first.is_whitespace() {
            (first.len_utf8(), None)
        } else {
            (first.len_utf8(), Some(Token::Sign(first)))
        };
        tokens.extend(token.map(|token| (token, line)));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of a string literal and what stands in it, if there is one here.
fn string(text: &str) -> Option<(usize, String)> {
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if let Some(body) = raw[hashes..].strip_prefix('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = body.split(&end).next().unwrap_or(body);
            let length = text.len() - body.len() + inside.len() + end.len();
            return Some((length.min(text.len()), inside.to_owned()));
        }
    }
    let body = text.strip_prefix("b\"").or_else(|| text.strip_prefix('"'))?;
    let mut escaped = false;
    let end = body.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let end = end.unwrap_or(body.len());
    Some(((text.len() - body.len() + end + 1).min(text.len()), body[..end].to_owned()))
}

/// The length of a character literal, or of the sign that begins a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => {
            let end = characters.skip(1).find(|(_, c)| *c == '\'');
            end.map_or(1, |(index, _)| index + 1)
        }
        Some(_) => characters.next().filter(|(_, c)| *c == '\'').map_or(1, |(index, _)| index + 1),
        None => 1,
    }
}

#[test]
fn paths_are_read_from_use_lines_and_from_code() {
    let text = "use super::{Answer, excerpt::{self, Excerpt as E}};\nuse std::fs as files;\nmod child;\n\
        // use crate::play;\nconst A: &str = \"crate::play\"; const B: char = '\"'; const C: &str = r#\"a::b\"#;\n\
        fn f<'a>(x: &'a E) { files::read(x); child::g(); E::new(); crate::wire::read(x) }\n\
        #[cfg(test)]\nmod tests { use crate::play; }\nuse crate::rules::*;\n";
    let source = Source { file: "referee/table/collect.rs".to_owned(), text: text.to_owned() };
    let found: Vec<String> =
        source.paths().into_iter().map(|named| format!("{}:{}", named.path, named.line)).collect();
    let expected = [
        "crate::table::Answer:1",
        "crate::table::excerpt:1",
        "crate::table::excerpt::Excerpt:1",
        "std::fs:2",
        "std::fs::read:6",
        "crate::table::collect::child::g:6",
        "crate::table::excerpt::Excerpt::new:6",
        "crate::rules::wire::read:6",
        "crate::rules::*:9",
    ];
    assert_eq!(found, expected);
    assert_eq!(source.strings(), [("crate::play".to_owned(), 5), ("a::b".to_owned(), 5)]);
}
