// The journal of a sweep.
// SPDX-License-Identifier: BSD-3-Clause
#include "studies/sweep_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "results/part_file.h"

namespace trunnion {

namespace {

constexpr std::string_view kJournalTitle = "trunnion sweep journal 1\n";
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeaderSize = kJournalTitle.size() + 2 * kWord, kRecordHead = 2 * kWord;
constexpr std::uint64_t kNoEnd = UINT64_MAX;  // of a journal that ends with a torn record
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 40U;

std::uint64_t checksum(std::string_view text) {  // FNV-1a, 64 bits (Fowler, Noll, Vo), by words of 8 bytes, then by bytes
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t value = 0xcbf29ce484222325U;
  std::size_t i = 0;
  for (; i + kWord <= text.size(); i += kWord) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, text.data() + i, kWord);
    value = (value ^ bits) * kPrime;
    value ^= value >> 32U;
  }
  for (; i < text.size(); ++i) value = (value ^ static_cast<unsigned char>(text[i])) * kPrime;
  return value ^ (value >> 29U);
}

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& out, const std::string& text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  out += text;
}

/// Reads a content. Throws Error where it ends early.
class Content {
 public:
  explicit Content(std::string_view text) : rest_(text) {}
  template <class T>
  T take() {
    T value{};
    if (rest_.size() < sizeof value) throw Error("a record of the journal ends early");
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string take_text() {
    const auto size = take<std::uint64_t>();
    if (size > rest_.size()) throw Error("a record of the journal ends early");
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  std::vector<double> take_numbers(std::uint64_t count) {
    if (count > rest_.size() / sizeof(double)) throw Error("a record of the journal ends early");
    std::vector<double> numbers(count);
    std::memcpy(numbers.data(), rest_.data(), count * sizeof(double));
    rest_.remove_prefix(count * sizeof(double));
    return numbers;
  }

 private:
  std::string_view rest_;
};

std::string header_of(std::uint64_t key) {
  std::string header(kJournalTitle);
  put(header, key);
  put(header, checksum(header));
  return header;
}

std::string record_of(std::size_t run, const SweepRun& of) {
  std::string content;
  put(content, static_cast<std::uint64_t>(run));
  put(content, of.status);
  put(content, of.end_time);
  put(content, static_cast<std::uint64_t>(of.kpi.size()));
  for (const double value : of.kpi) put(content, value);
  put_text(content, of.message);
  put(content, static_cast<std::uint64_t>(of.kept.channels.size()));
  put(content, static_cast<std::uint64_t>(of.kept.rows()));
  for (const Channel& c : of.kept.channels)
    for (const std::string* text : {&c.name, &c.unit, &c.meaning}) put_text(content, *text);
  for (const std::vector<double>& column : of.kept.columns)
    content.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
  std::string head;
  put(head, static_cast<std::uint64_t>(content.size()));
  std::uint64_t sum = checksum(content) ^ checksum(head);
  put(head, sum);
  return head + content;
}

JournalEntry entry_of(Content& content, const std::string& file, std::uint64_t offset) {
  JournalEntry entry;
  entry.run = content.take<std::uint64_t>();
  entry.status = content.take<RunStatus>();
  entry.end_time = content.take<double>();
  const auto count = content.take<std::uint64_t>();
  entry.kpi = content.take_numbers(count);
  entry.message = content.take_text();
  entry.file = file;
  entry.offset = offset;
  return entry;
}

/// A journal open for reading.
class JournalReader {
 public:
  explicit JournalReader(const std::string& path) : path_(path), id_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
    if (id_ < 0) throw FileError("cannot read " + path + ": " + std::strerror(errno));
  }
  ~JournalReader() { close(id_); }
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  /// Less at the end of the file.
  std::string read(std::uint64_t offset, std::uint64_t size) const {
    std::string text(std::min(size, left(offset)), '\0');
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t some = pread(id_, text.data() + done, text.size() - done, static_cast<off_t>(offset + done));
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) throw FileError("cannot read " + path_ + ": " + std::strerror(errno));
      if (some == 0) text.resize(done);
      done += static_cast<std::size_t>(some);
    }
    return text;
  }
  /// The content of a record; nothing: it is incomplete or damaged.
  std::optional<std::string> content(std::uint64_t offset) const {
    const std::string head = read(offset, kRecordHead);
    if (head.size() < kRecordHead) return std::nullopt;
    Content numbers(head);
    const auto size = numbers.take<std::uint64_t>(), sum = numbers.take<std::uint64_t>();
    if (size > kLargestRecord || size > left(offset + kRecordHead)) return std::nullopt;
    std::string text = read(offset + kRecordHead, size);
    if (text.size() < size || (checksum(text) ^ checksum(std::string_view(head).substr(0, kWord))) != sum) return std::nullopt;
    return text;
  }

 private:
  std::uint64_t left(std::uint64_t offset) const {
    struct stat about {};
    if (fstat(id_, &about) != 0) return 0;
    const auto size = static_cast<std::uint64_t>(about.st_size);
    return size > offset ? size - offset : 0;
  }

  std::string path_;
  int id_;
};

std::optional<std::uint64_t> key_in(const JournalReader& reader) {
  const std::string header = reader.read(0, kHeaderSize);
  if (header.size() < kHeaderSize) return std::nullopt;
  const auto key = Content(std::string_view(header).substr(kJournalTitle.size())).take<std::uint64_t>();
  return header == header_of(key) ? std::optional(key) : std::nullopt;
}

/// Calls f(entry) for whole records in order. Returns the end of the last one; 0: there is no whole header.
template <class F>
std::uint64_t for_each_record(const std::string& path, std::uint64_t key, F&& f) {
  const JournalReader reader(path);
  const std::optional<std::uint64_t> found = key_in(reader);
  if (!found) return 0;
  if (*found != key)
    throw InputError({Diagnostic{{path, 0, 0},
                                 "",
                                 "the folder holds another sweep: its model or its options differ",
                                 "the same command as before, to go on with it",
                                 "--overwrite replaces it, -o DIR writes elsewhere"}});
  std::uint64_t end = kHeaderSize;
  while (const std::optional<std::string> text = reader.content(end)) {
    try {
      Content content(*text);
      f(entry_of(content, path, end));
    } catch (const Error&) { break; }  // of another version
    end += kRecordHead + text->size();
  }
  return end;
}

void write_all(int id, const std::string& path, std::string_view text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t some = ::write(id, text.data() + done, text.size() - done);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) cannot_write(path, std::strerror(errno));
    done += static_cast<std::size_t>(some);
  }
}

}  // namespace

Journal::Journal(const std::string& path, std::uint64_t key) : path_(path), settled_(std::chrono::steady_clock::now()) {
  const bool there = access(path.c_str(), F_OK) == 0;
  end_ = there ? for_each_record(path, key, [](const JournalEntry&) {}) : 0;
  id_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0666);
  if (id_ < 0) cannot_write(path, std::strerror(errno));
  try {
    if (ftruncate(id_, static_cast<off_t>(end_)) != 0) cannot_write(path, std::strerror(errno));
    if (end_ > 0) return;
    const std::string header = header_of(key);
    write_all(id_, path, header);
    end_ = header.size();
  } catch (...) {
    close(id_);
    throw;
  }
}

Journal::~Journal() { close(id_); }

void Journal::add(std::size_t run, const SweepRun& content) {
  constexpr auto kBetween = std::chrono::seconds(1);  // writes to the disk; what they lack is repeated
  const std::string record = record_of(run, content);
  const std::lock_guard lock(access_);
  if (end_ == kNoEnd) cannot_write(path_, "an earlier record is incomplete");
  try {
    write_all(id_, path_, record);
  } catch (const FileError&) {  // what follows a torn record would not be read
    if (ftruncate(id_, static_cast<off_t>(end_)) != 0) end_ = kNoEnd;
    throw;
  }
  end_ += record.size();
  const auto now = std::chrono::steady_clock::now();
  if (now - settled_ < kBetween) return;
  settled_ = now;
  (void)fdatasync(id_);
}

void Journal::settle() {
  const std::lock_guard lock(access_);
  if (fdatasync(id_) != 0 && errno != EINVAL && errno != EROFS) cannot_write(path_, std::strerror(errno));
}

std::optional<std::uint64_t> key_of_journal(const std::string& path) { return key_in(JournalReader(path)); }

std::vector<JournalEntry> read_journal(const std::string& path, std::uint64_t key) {
  std::vector<JournalEntry> entries;
  for_each_record(path, key, [&](JournalEntry entry) { entries.push_back(std::move(entry)); });
  return entries;
}

Recording read_kept(const JournalEntry& entry) {
  const std::optional<std::string> text = JournalReader(entry.file).content(entry.offset);
  if (!text) throw FileError("cannot read " + entry.file + ": a record was damaged meanwhile");
  Content content(*text);
  (void)entry_of(content, entry.file, entry.offset);
  Recording kept;
  const auto channels = content.take<std::uint64_t>(), rows = content.take<std::uint64_t>();
  for (std::uint64_t k = 0; k < channels; ++k) {
    Channel c;
    c.name = content.take_text();
    c.unit = content.take_text();
    c.meaning = content.take_text();
    kept.channels.push_back(std::move(c));
  }
  for (std::uint64_t k = 0; k < channels; ++k) kept.columns.push_back(content.take_numbers(rows));
  return kept;
}

std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("journal_") && name.ends_with(".bin")) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace trunnion
